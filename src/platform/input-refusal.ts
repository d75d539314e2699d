/**
 * Converts a validator's finding to one `BAD_USER_INPUT`. The error names the argument: a parameter as the document spells
 * it, or a property of the body. The error never repeats the refused value.
 */
import type { ErrorObject } from "ajv";
import type { Operation } from "openapi-backend";
import { CodedError } from "restbound";

/** Returns the error for one finding. */
export function inputRefusal(operation: Operation, error: ErrorObject): CodedError {
  const [place, name] = error.instancePath.split("/").slice(1);
  const argument = name === undefined ? namedIn(error) : unescapePointer(name);
  const shown = place === "header" && argument ? declaredName(operation, argument) : argument;
  const fallback = place === undefined || place === "requestBody" ? "body" : place;
  return new CodedError(
    "BAD_USER_INPUT",
    `${shown ?? fallback}: ${explain(error)}`,
    shown ? { argument: shown } : {},
  );
}

/** The missing or unknown property, if the finding is about the object around it. */
function namedIn({ params }: ErrorObject): string | undefined {
  const name: unknown = params.missingProperty ?? params.additionalProperty;
  return typeof name === "string" && name !== "requestBody" ? name.slice(0, 64) : undefined;
}

/** The document's spelling of a header, which the validator gets in lower case. */
function declaredName({ parameters = [] }: Operation, lowerCase: string): string {
  const names = parameters.flatMap((parameter) =>
    "name" in parameter && parameter.name ? [parameter.name] : [],
  );
  return names.find((name) => name.toLowerCase() === lowerCase) ?? lowerCase;
}

function explain({ keyword, params, message }: ErrorObject): string {
  if (keyword === "enum") return `must be one of ${(params.allowedValues as unknown[]).join(", ")}`;
  if (keyword === "required") return "is required";
  if (keyword === "additionalProperties") return "is not known here";
  return message ?? "is refused";
}

/** RFC 6901 §4. */
const unescapePointer = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~");

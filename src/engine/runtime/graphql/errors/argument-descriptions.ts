/**
 * Finds the description of an argument in the schema, to explain a refused value to the client. A description may state a rule
 * that JSON Schema cannot express, for example that a start must not be after its end.
 */
import { type GraphQLArgument, type GraphQLInputField, getNamedType, isInputObjectType } from "graphql";
import type { JsonSchema } from "../../../shared/json-schema.ts";
import { own } from "../../../shared/own.ts";

/** Maximum number of characters of a description in an error. */
const maxLength = 300;

/** Returns the argument, or the field of its input object, at a path such as `items.0.name`. */
export function argumentAt(
  args: readonly GraphQLArgument[],
  path: string,
): GraphQLArgument | GraphQLInputField | undefined {
  const [name, ...below] = path.split(".").filter((step) => !/^\d+$/.test(step)); // a list index is not a field
  let found: GraphQLArgument | GraphQLInputField | undefined = args.find((each) => each.name === name);
  for (const step of below) {
    const type = found && getNamedType(found.type);
    found = isInputObjectType(type) ? type.getFields()[step] : undefined;
  }
  return found;
}

export function argumentDescription(args: readonly GraphQLArgument[], path: string): string {
  const text = argumentAt(args, path)?.description?.replaceAll(/\s+/g, " ").replaceAll("`", "").trim() ?? "";
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Descriptions of the JSON Schema formats that an OpenAPI document can require. */
const formats: Record<string, string> = {
  date: "a date such as 2026-01-31",
  "date-time": "a time such as 2026-01-31T12:00:00Z",
  time: "a time of day such as 12:00:00Z",
  duration: "a duration such as P1D",
  email: "an e-mail address",
  uri: "a URI",
  uuid: "a UUID",
  hostname: "a host name",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
};

/** Returns the description of a known format. For any other format, returns its name. */
export const describeFormat = (format: string): string => own(formats, format) ?? `of the format ${format}`;

/** Longer patterns are left out of messages, because readers would not understand them. */
const maxPattern = 40;

/** Describes the limits of a schema in words. Returns an empty string if no limit of the schema can be described. */
export function describeLimits(schema: JsonSchema): string {
  const { format, pattern, minLength, maxLength, minimum, maximum, enum: values } = schema;
  const words = [
    Array.isArray(values) && `one of ${values.filter((value) => value !== null).join(", ")}`,
    typeof format === "string" && describeFormat(format),
    range(minLength, maxLength, " characters long"),
    range(minimum, maximum, ""),
    typeof pattern === "string" && pattern.length <= maxPattern && `of the form ${pattern}`,
  ];
  return words.filter((word) => typeof word === "string").join(", ");
}

function range(least: unknown, most: unknown, unit: string): string | undefined {
  if (typeof least === "number" && typeof most === "number") return `from ${least} to ${most}${unit}`;
  if (typeof most === "number") return `at most ${most}${unit}`;
  return typeof least === "number" ? `at least ${least}${unit}` : undefined;
}

/** Describes locations in the OpenAPI document for messages, such as `GET /things query "limit"` and `schema Thing.name`. */
import { membersOf } from "../../shared/json-object.ts";
import { own } from "../../shared/own.ts";
import type { NodeLocation } from "../diagnostic.ts";
import type { RestDocument } from "./document.ts";

type Steps = readonly (string | number)[];

export function describeNode(document: RestDocument, { file, path }: NodeLocation): string {
  const [first, second, third, ...below] = path;
  const name = document.rootAt({ file })?.name;
  if (first === undefined) return `the document${name === undefined ? "" : ` ${name}`}`;
  if (first === "components" && third !== undefined)
    return `${own(components, String(second)) ?? second} ${name === undefined ? "" : `${name}.`}${third}${belowSchema(below)}`;
  if (first !== "paths" || second === undefined) return `${file}#/${path.join("/")}`;
  const at = `${name ?? ""}${second}`;
  if (third === "parameters") return `${at} ${parameterName(document, file, path.slice(0, 4))}`;
  return `${String(third ?? "").toUpperCase()} ${at}${belowOperation(document, file, path, below)}`.trim();
}

const components: Readonly<Record<string, string>> = {
  schemas: "schema",
  parameters: "parameter",
  responses: "response",
  requestBodies: "body",
  securitySchemes: "security scheme",
};

function belowOperation(document: RestDocument, file: string, path: Steps, [part, ...below]: Steps): string {
  if (part === "parameters")
    return ` ${parameterName(document, file, path.slice(0, 5))}${belowSchema(below.slice(1))}`;
  if (part === "requestBody") return ` body${belowSchema(below.slice(2))}`;
  return part === "responses" ? ` answer${belowSchema(below.slice(3))}` : "";
}

function parameterName(document: RestDocument, file: string, path: Steps): string {
  const { in: location, name } = membersOf(document.valueAt({ file, path }));
  return `${location} "${name}"`;
}

/**
 * Describes a path below a schema: properties as `.name`, items as `[]`, map values as `{}`. Leaves out keywords such as `allOf`.
 */
function belowSchema([step, ...rest]: Steps): string {
  if (step === undefined) return "";
  if (step === "properties") return `.${rest[0]}${belowSchema(rest.slice(1))}`;
  if (step === "items") return `[]${belowSchema(rest)}`;
  if (step === "additionalProperties") return `{}${belowSchema(rest)}`;
  return belowSchema(rest);
}

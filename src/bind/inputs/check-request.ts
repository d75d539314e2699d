/** Checks that an operation's request can be sent at all: its path template and its parameter styles. */

import type { Parameter } from "../../openapi/operation.ts";
import type { Binder } from "../binder.ts";
import type { FieldInProgress } from "../field-in-progress.ts";
import { didYouMean } from "../findings.ts";

export function checkRequest(binder: Binder, field: FieldInProgress): void {
  const { operation, where, definition, directive } = field;
  for (const { name, node, below } of operation.unfeedable) {
    const message = `${operation.id} requires ${name}, which no binding can feed`;
    binder.findings.add(
      "parameter-unfed",
      { ...where, rest: node, ...(below && { below }) },
      message,
      "make it optional in REST, or bind another operation",
    );
  }
  checkTemplate(binder, field);
  const names = new Set([
    ...definition.args.map(({ name }) => name),
    ...directive.params.map(({ name }) => name),
  ]);
  for (const parameter of operation.parameters) {
    // without arguments and params an optional parameter is never sent
    if (parameter.required || names.size > 0) checkStyle(binder, field, parameter);
  }
}

/** Every `{name}` of the path has its path parameter, and every path parameter its `{name}` (OpenAPI 3.1 §4.8.8). */
function checkTemplate(binder: Binder, { operation, where }: FieldInProgress): void {
  const inPath = new Set([...operation.path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name));
  const declared = operation.parameters.filter(({ in: location }) => location === "path");
  const names = declared.map(({ name }) => name);
  for (const name of inPath) {
    if (names.includes(name)) continue;
    const message = `${operation.path} needs {${name}}, and ${operation.id} has no path parameter of that name`;
    binder.findings.add(
      "path-template",
      { ...where, rest: operation.node },
      message + didYouMean(name, names),
      "declare it with in: path",
    );
  }
  for (const parameter of declared) {
    if (inPath.has(parameter.name)) continue;
    const message = `${operation.path} has no place for the path parameter "${parameter.name}" of ${operation.id}`;
    binder.findings.add(
      "path-template",
      { ...where, rest: parameter.node },
      message,
      "write it into the path, in braces",
    );
  }
}

/** The styles of OpenAPI 3.1 §4.8.12.2 that `src/rest/encode.ts` can write. */
const sendableStyles: Record<string, readonly string[]> = {
  "path array": ["simple"],
  "path value": ["simple"],
  "query array": ["form", "spaceDelimited", "pipeDelimited"],
  "query object": ["form", "deepObject"],
  "query value": ["form"],
  "header array": ["simple"],
  "header object": ["simple"],
  "header value": ["simple"],
};

function checkStyle(binder: Binder, { operation, where }: FieldInProgress, parameter: Parameter): void {
  const { shape, style, node, name, in: location } = parameter;
  const kind = shape.types.has("array") ? "array" : shape.types.has("object") ? "object" : "value";
  const items = shape.items;
  const isNested = kind === "array" && items && (items.types.has("array") || items.types.has("object"));
  const sent = sendableStyles[`${location} ${kind}`] ?? [];
  if (sent.includes(style) && !isNested) return;
  const how =
    style === "content"
      ? "in a media type of its own"
      : isNested
        ? "of arrays or objects"
        : `in style ${style}`;
  const message = `${location} "${name}" of ${operation.id} is ${kind === "value" ? "a value" : `an ${kind}`} ${how}, which cannot be sent there`;
  binder.findings.add(
    "parameter-style",
    { ...where, rest: node, below: ["style"] },
    message,
    sent.length > 0 && !isNested ? `give it style ${sent.join(" or ")}` : "give it a simpler type",
  );
}

/** Checks that an operation's request can be sent at all: its path template and its parameter styles. */

import type { Parameter } from "../../openapi/operation.ts";
import type { Binder } from "../binder.ts";
import type { FieldInProgress } from "../field-in-progress.ts";

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
  checkUnused(binder, field);
  checkTemplate(binder, field);
  const names = new Set([
    ...definition.args.map(({ name }) => name),
    ...directive.params.map(({ name }) => name),
  ]);
  for (const [name, { style }] of operation.body?.formStyles ?? []) {
    const property = operation.body?.shape.properties.get(name);
    if (property && style !== "json" && property.only !== "response")
      checkStyle(binder, field, { ...property, in: "body", style });
  }
  for (const parameter of operation.parameters) {
    // without arguments and params an optional parameter is never sent
    if (parameter.required || names.size > 0) checkStyle(binder, field, parameter);
  }
}

/**
 * Reports the parts of the operation that its calls leave out: an optional body that cannot be written, servers of its
 * own.
 */
function checkUnused({ findings }: Binder, { operation, where }: FieldInProgress): void {
  const { id, unsentBody, servers } = operation;
  if (unsentBody) {
    const media = unsentBody.media.join(" or ");
    findings.add(
      "body-unsent",
      { ...where, rest: unsentBody.node },
      `${id} takes a body of ${media}, which no binding can write: it is called without one`,
      "approve it if REST works without the body, or have REST take JSON or a form",
      [media],
    );
  }
  if (servers) {
    const urls = servers.urls.join(" or ");
    findings.add(
      "server-ignored",
      { coordinate: urls, schema: where.schema, rest: servers.node },
      `${id} has servers of its own, ${urls}: its calls go to the base URL of its product all the same`,
      "give its operations a first tag of their own, and set REST_BASE_URL_<TAG>; then approve it",
      [],
    );
  }
}

/** Every `{name}` of the path has its path parameter, and every path parameter its `{name}` (OpenAPI 3.1 §4.8.8). */
function checkTemplate(binder: Binder, { operation, where }: FieldInProgress): void {
  const inPath = new Set([...operation.path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name));
  const declared = operation.parameters.filter(({ in: location }) => location === "path");
  const names = new Set(declared.map(({ name }) => name));
  for (const name of inPath) {
    if (names.has(name)) continue;
    const message = `${operation.path} needs {${name}}, and ${operation.id} has no path parameter of that name`;
    binder.findings.add(
      "path-template",
      { ...where, rest: operation.node },
      message + binder.findings.didYouMean(name, () => [...names]),
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
  "query array": ["form", "spaceDelimited", "pipeDelimited", "json"],
  "query object": ["form", "deepObject", "json"],
  "query value": ["form", "json"],
  "body array": ["form", "spaceDelimited", "pipeDelimited"],
  "body object": ["form", "deepObject"],
  "header array": ["simple"],
  "header object": ["simple"],
  "header value": ["simple"],
};

type Styled = Pick<Parameter, "shape" | "style" | "node" | "name" | "in">;

function checkStyle(binder: Binder, { operation, where }: FieldInProgress, parameter: Styled): void {
  const { shape, style, node, name, in: location } = parameter;
  const kind = shape.types.has("array") ? "array" : shape.types.has("object") ? "object" : "value";
  const items = shape.items;
  const isNested =
    style !== "json" && kind === "array" && items && (items.types.has("array") || items.types.has("object"));
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
    sent.length > 0 && !isNested
      ? `give it style ${sent.filter((name) => name !== "json").join(" or ")}`
      : "give it a simpler type",
  );
}

/** What a request of an operation must be, whatever feeds it: a path that its parameters fill, and styles that exist. */

import type { Binding } from "./binding.ts";
import type { Bound } from "./bound.ts";
import { didYouMean } from "./findings.ts";
import type { Parameter } from "./operations.ts";

export function checkRequest(binding: Binding, bound: Bound): void {
  const { operation, where, field, directive } = bound;
  for (const { what, node, below } of operation.unfeedable) {
    const message = `${operation.id} requires ${what}, which no binding can feed`;
    binding.findings.add(
      "parameter-unfed",
      { ...where, rest: node, ...(below && { below }) },
      message,
      "make it optional in REST, or bind another operation",
    );
  }
  checkTemplate(binding, bound);
  const names = new Set([...field.args.map(({ name }) => name), ...directive.params.map(({ name }) => name)]);
  for (const parameter of operation.parameters) {
    // one that nothing could feed is written by nobody
    if (parameter.required || names.size > 0) checkStyle(binding, bound, parameter);
  }
}

/** RFC 6570 level 1, as OpenAPI 3.1 §4.8.8 has it: every `{name}` has its path parameter, and the reverse. */
function checkTemplate(binding: Binding, { operation, where }: Bound): void {
  const inPath = new Set([...operation.path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name));
  const declared = operation.parameters.filter(({ in: location }) => location === "path");
  const names = declared.map(({ name }) => name);
  for (const name of inPath) {
    if (names.includes(name)) continue;
    const message = `${operation.path} needs {${name}}, and ${operation.id} has no path parameter of that name`;
    binding.findings.add(
      "path-template",
      { ...where, rest: operation.node },
      message + didYouMean(name, names),
      "declare it with in: path",
    );
  }
  for (const parameter of declared) {
    if (inPath.has(parameter.name)) continue;
    const message = `${operation.path} has no place for the path parameter "${parameter.name}" of ${operation.id}`;
    binding.findings.add(
      "path-template",
      { ...where, rest: parameter.node },
      message,
      "write it into the path, in braces",
    );
  }
}

/** The styles that `src/rest/encode.ts` writes: not all that OpenAPI 3.1 §4.8.12.2 has. */
const styles: Record<string, readonly string[]> = {
  "path array": ["simple"],
  "path value": ["simple"],
  "query array": ["form", "spaceDelimited", "pipeDelimited"],
  "query object": ["form", "deepObject"],
  "query value": ["form"],
  "header array": ["simple"],
  "header object": ["simple"],
  "header value": ["simple"],
};

function checkStyle(binding: Binding, { operation, where }: Bound, parameter: Parameter): void {
  const { shape, style, node, name, in: location } = parameter;
  const kind = shape.types.has("array") ? "array" : shape.types.has("object") ? "object" : "value";
  const items = shape.items;
  const isNested = kind === "array" && items && (items.types.has("array") || items.types.has("object"));
  const sent = styles[`${location} ${kind}`] ?? [];
  if (sent.includes(style) && !isNested) return;
  const how =
    style === "content"
      ? "in a media type of its own"
      : isNested
        ? "of arrays or objects"
        : `in style ${style}`;
  const message = `${location} "${name}" of ${operation.id} is ${kind === "value" ? "a value" : `an ${kind}`} ${how}, which cannot be sent there`;
  binding.findings.add(
    "parameter-style",
    { ...where, rest: node, below: ["style"] },
    message,
    sent.length > 0 && !isNested ? `give it style ${sent.join(" or ")}` : "give it a simpler type",
  );
}

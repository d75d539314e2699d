/** Checks that the request of an operation can be sent. */
import { membersOf } from "../../../shared/json-object.ts";
import { entriesOf } from "../../openapi/document.ts";
import type { FieldContext } from "../field-context.ts";

export function checkRequest(field: FieldContext): void {
  const { binder, operation, where } = field;
  const overlay = binder.document.overlayAt(operation.root);
  for (const { name, node, below } of operation.unfeedable) {
    const message = `${operation.id} requires ${name}, which no binding can feed`;
    binder.findings.add(
      "parameter-unfed",
      { ...where, rest: node, ...(below && { below }) },
      message,
      `if REST does not need it, declare that in ${overlay}; otherwise list the operation in spec/rest-only.yaml, and clients call REST`,
    );
  }
  checkUnused(field);
  checkTemplate(field);
}

/** Reports what calls ignore: an optional body in an unsupported media type, and servers of a single operation. */
function checkUnused({ binder: { findings, document }, operation, where }: FieldContext): void {
  const { id, unsentBody, servers } = operation;
  if (unsentBody) {
    const media = unsentBody.media.join(" or ");
    findings.add(
      "body-unsent",
      { ...where, rest: unsentBody.node, facts: [media] },
      `${id} takes a body of ${media}, which no binding can write: it is called without one`,
      "approve it if REST works without the body, or have REST take JSON or a form",
    );
  }
  const [usual] = entriesOf(document, document.child(operation.root, "servers"));
  const usualUrl = membersOf(usual?.value).url;
  if (servers && !servers.urls.some((url) => url === usualUrl)) {
    const urls = servers.urls.join(" or ");
    findings.add(
      "server-ignored",
      { coordinate: urls, schema: where.schema, rest: servers.node, facts: [] },
      `${id} has its own servers, ${urls}, but its calls go to the base URL of its product`,
      operation.root.name === undefined
        ? "give its operations a separate first tag, and set REST_BASE_URL_<TAG>; then approve it"
        : "move its operations to a separate document, and set REST_BASE_URL_<NAME>; then approve it",
    );
  }
}

/** Reports a `{name}` in the path without a path parameter, and vice versa (OpenAPI 3.1 §4.8.8). */
function checkTemplate({ binder, operation, where }: FieldContext): void {
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
    const message = `${operation.path} does not contain the path parameter "${parameter.name}" of ${operation.id}`;
    binder.findings.add(
      "path-template",
      { ...where, rest: parameter.node },
      message,
      "write it into the path, in braces",
    );
  }
}

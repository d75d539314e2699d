/** Reads one operation: its parameters, its JSON body and its 2xx responses. */
import { isRecord, membersOf } from "../../shared/json-object.ts";
import { isJson } from "../../shared/media-type.ts";
import { entriesOf, keysOf, type RestDocument, type RestNode, type RootNode } from "./document.ts";
import { productOf } from "./document-files.ts";
import {
  type InputLocation,
  inputKey,
  omitsSuccess,
  type Parameter,
  type RestOperation,
} from "./operation.ts";
import type { OperationNode } from "./operation-nodes.ts";
import { readRequestBody, readResponses, readSuccesses, requiredFiles, schemaIn } from "./read-content.ts";
import { headerOf, ownHeaderOf, securitySchemesOf } from "./security.ts";
import { shapeAt } from "./shapes/read-shape.ts";
import type { Shape } from "./shapes/shape.ts";

export function readOperation(
  document: RestDocument,
  id: string,
  { root, method, path, item, node }: OperationNode,
): RestOperation {
  const value = node.value as Record<string, unknown>;
  const [tag] = Array.isArray(value.tags) ? value.tags : [];
  const declared = declaredParameters(document, [item, node]);
  const credentials = credentialHeaders(document, root);
  const parameters = declared.flatMap((each): Parameter[] => {
    const parameter = readParameter(document, each);
    const key = parameter && inputKey(parameter);
    if (!key || ignoredHeaders.has(key)) return [];
    return [credentials.has(key) ? { ...parameter, required: false, isForwarded: true } : parameter];
  });
  const body = readRequestBody(document, node);
  const responses = readResponses(document, node);
  return {
    id,
    method,
    path,
    node,
    item,
    root,
    product: productOf(root.name ?? (typeof tag === "string" ? tag : "")),
    parameters,
    responses,
    successes: omitsSuccess({ method, responses })
      ? [{ status: "2XX", node: undefined, content: [], headers: new Map() }]
      : readSuccesses(document, responses),
    ...readUnsendable(document, declared, node, body),
    ...ownServers(document, item, node),
    ...(typeof value.summary === "string" && { summary: value.summary }),
    ...(typeof value["x-permission"] === "string" && { permission: value["x-permission"] }),
    ...(body && { body }),
  };
}

/** Header parameters that OpenAPI ignores (3.1 §4.8.12.1). */
const ignoredHeaders: ReadonlySet<string> = new Set(
  ["accept", "content-type", "authorization"].map((name) => inputKey({ in: "header", name })),
);

/** The header parameters that a security scheme names too: the caller's own header is forwarded. */
function credentialHeaders(document: RestDocument, root: RootNode): Set<string> {
  const schemes = entriesOf(document, securitySchemesOf(document, root));
  const headers = schemes.flatMap((scheme) => [headerOf(scheme) ?? [], ownHeaderOf(scheme) ?? []].flat());
  return new Set(headers.map((name) => inputKey({ in: "header", name })));
}

/** An operation's declaration replaces its path item's of the same place and name (OpenAPI 3.1 §4.8.9.1). */
function declaredParameters(document: RestDocument, owners: readonly RestNode[]): RestNode[] {
  const all = owners.flatMap((owner) => entriesOf(document, document.child(owner, "parameters")));
  const keyOf = ({ value }: RestNode): string => {
    const { in: location, name } = membersOf(value);
    return inputKey({ in: location as InputLocation, name: String(name) });
  };
  return [...new Map(all.map((node) => [keyOf(node), node])).values()];
}

/** `undefined` for a cookie. */
function readParameter(document: RestDocument, node: RestNode): Parameter | undefined {
  const parameter = membersOf(node.value);
  const { name, in: location, required, style, explode, allowReserved, "x-limit-per": limitPer } = parameter;
  if (typeof name !== "string" || !(location === "path" || location === "query" || location === "header"))
    return undefined;
  const usual = location === "query" ? "form" : "simple";
  const [media = ""] = keysOf(document.child(node, "content"));
  const written =
    !("schema" in parameter) && "content" in parameter
      ? isJson(media)
        ? "json"
        : "content"
      : typeof style === "string"
        ? style
        : usual;
  return {
    name,
    in: location,
    node,
    required: required === true || location === "path",
    shape: schemaShape(document, node),
    style: written,
    explode: typeof explode === "boolean" ? explode : written === "form",
    ...(location === "query" && allowReserved === true && { allowReserved }),
    ...(typeof limitPer === "string" && { limitPer }),
  };
}

/** Cookies, and a body of media types that no binding can write: required, or left out of the calls. */
function readUnsendable(
  document: RestDocument,
  declared: readonly RestNode[],
  operation: RestNode,
  body: RestOperation["body"],
): Pick<RestOperation, "unfeedable" | "unsentCookies" | "unsentBody"> {
  const cookies = (isNeeded: boolean) =>
    declared.flatMap((node) => {
      const { name, in: location } = membersOf(node.value);
      return location === "cookie" && isRequired(node) === isNeeded
        ? [{ name: `the cookie "${name}"`, node }]
        : [];
    });
  const [unfeedable, unsentCookies] = [cookies(true), cookies(false)];
  const node = document.child(operation, "requestBody");
  if (!node || body) return { unfeedable, unsentCookies };
  const media = keysOf(document.child(node, "content"));
  if (!isRequired(node))
    return { unfeedable, unsentCookies, ...(media.length > 0 && { unsentBody: { node, media } }) };
  const [file] = requiredFiles(document, node);
  const part = file === undefined ? "" : ` whose part "${file}" is a file`;
  const name = `a body of ${media.join(" or ") || "no media type"}${part}`;
  return {
    unfeedable: [...unfeedable, { name, node, below: ["content", ...media.slice(0, 1)] }],
    unsentCookies,
  };
}

const isRequired = ({ value }: RestNode): boolean => membersOf(value).required === true;

/** The servers of the operation or of its path, which replace those of the document (OpenAPI 3.1 §4.8.10). */
function ownServers(
  document: RestDocument,
  item: RestNode,
  operation: RestNode,
): Pick<RestOperation, "servers"> {
  const owner = [operation, item].find((node) => document.child(node, "servers") !== undefined);
  const node = document.child(owner, "servers");
  const urls = entriesOf(document, node).flatMap(({ value }) => (isRecord(value) ? [String(value.url)] : []));
  return node && urls.length > 0 ? { servers: { node, urls } } : {};
}

/** A parameter's schema is in `schema`, or in the one entry of `content`. */
function schemaShape(document: RestDocument, node: RestNode): Shape {
  const [entry] = entriesOf(document, document.child(node, "content"));
  const isInContent = entry && !("schema" in (node.value as object));
  return shapeAt(document, schemaIn(isInContent ? entry : node));
}

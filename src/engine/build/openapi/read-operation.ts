/** Reads an operation: its parameters, its body and its 2xx responses. */
import { isDeepStrictEqual } from "node:util";
import { isRecord, membersOf } from "../../shared/json-object.ts";
import { includes, includesJson, isForm, isJson, isMultipartForm, isText } from "../../shared/media-type.ts";
import type { Style } from "../../shared/operation.ts";
import { own } from "../../shared/own.ts";
import {
  entriesByKey,
  entriesOf,
  keysOf,
  type RestDocument,
  type RestNode,
  type RootNode,
} from "./document.ts";
import { productOf } from "./document-files.ts";
import {
  type DocumentedResponse,
  type FormStyles,
  type InputLocation,
  inputKey,
  isRedirect,
  isSuccess,
  omitsSuccess,
  type Parameter,
  type RestOperation,
  type SuccessResponse,
} from "./operation.ts";
import type { OperationNode } from "./operation-nodes.ts";
import { headerOf, ownHeaderOf, securitySchemesOf } from "./security.ts";
import { shapeAt } from "./shapes/read-shape.ts";
import { isOnly, nodeBelow, type Property, requestProperties, Shape } from "./shapes/shape.ts";
import { productTagOf } from "./tags.ts";

export function readOperation(
  document: RestDocument,
  id: string,
  { root, method, path, item, node }: OperationNode,
): RestOperation {
  const value = node.value as Record<string, unknown>;
  const declared = declaredParameters(document, [item, node]);
  const credentials = credentialHeaders(document, root);
  const found = declared.flatMap((each) => readParameter(document, each) ?? readQueryString(document, each));
  const parameters = found.flatMap((parameter): Parameter[] => {
    const key = inputKey(parameter);
    if (parameter.in === "header" && ignoredHeaders.has(parameter.name.toLowerCase())) return [];
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
    product: productOf(root.name ?? productTagOf({ node, root }) ?? ""),
    parameters,
    responses,
    successes: omitsSuccess({ method, responses })
      ? [{ status: "2XX", node: undefined, content: [], headers: new Map() }]
      : readSuccesses(document, documentedSuccesses(responses)),
    ...readUnsendable(document, declared, node, body),
    ...ownServers(document, item, node),
    ...(typeof value.summary === "string" && { summary: value.summary }),
    ...(typeof value["x-permission"] === "string" && { permission: value["x-permission"] }),
    ...(body && { body }),
  };
}

/**
 * The header parameters that OpenAPI ignores (3.1 §4.8.12.1), by name in lower case. The value is advice on what to document
 * instead of the parameter.
 */
export const ignoredHeaders: ReadonlyMap<string, string> = new Map([
  [
    "accept",
    "`Accept` lists the media types of the response: document yours below `content` of the response",
  ],
  [
    "content-type",
    "`Content-Type` is the media type of the body: document yours below `content` of the request body",
  ],
  ["authorization", "credentials are sent as security schemes declare them: declare one in `security`"],
]);

/** Returns the keys (`inputKey`) of the headers in which security schemes send credentials. */
function credentialHeaders(document: RestDocument, root: RootNode): Set<string> {
  const schemes = entriesOf(document, securitySchemesOf(document, root));
  const headers = schemes.flatMap((scheme) => [headerOf(scheme) ?? [], ownHeaderOf(scheme) ?? []].flat());
  return new Set(headers.map((name) => inputKey({ in: "header", name })));
}

/**
 * Returns the parameters of an operation and its path item. The operation's parameter replaces the path item's parameter with the
 * same location and name (OpenAPI 3.1 §4.8.9.1).
 */
function declaredParameters(document: RestDocument, owners: readonly RestNode[]): RestNode[] {
  const all = owners.flatMap((owner) => entriesOf(document, document.child(owner, "parameters")));
  const keyOf = ({ value }: RestNode): string => {
    const { in: location, name } = membersOf(value);
    return inputKey({ in: location as InputLocation, name: String(name) });
  };
  return [...new Map(all.map((node) => [keyOf(node), node])).values()];
}

/**
 * Reads a parameter in the path, the query or a header. Returns `undefined` for a cookie and for a query string
 * (`in: querystring`).
 */
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

/**
 * Converts the properties of a form-encoded query string (`in: querystring`, OpenAPI 3.2, Parameter Object) to parameters.
 * Returns no parameters for another media type, or if the schema does more than list properties (for example, a `oneOf`).
 */
function readQueryString(document: RestDocument, node: RestNode): Parameter[] {
  if (membersOf(node.value).in !== "querystring") return [];
  const found = contentOf(document, node, [isForm]);
  if (!found || !isPlainObject(found.shape)) return [];
  const styles = formStylesOf(found.shape, document.child(found.entry, "encoding")?.value);
  return requestProperties(found.shape).map(({ name, node: at, required, shape }) => ({
    name,
    in: "query",
    node: at,
    required: required && isRequired(node),
    shape,
    ...(styles.get(name) ?? { style: "form", explode: true }),
  }));
}

const isPlainObject = (shape: Shape): boolean =>
  isOnly(shape, "object") &&
  !shape.hasMembers &&
  !shape.entry &&
  Object.keys(shape.limits).length === 0 &&
  [...shape.properties.values()].every(({ isUndeclared }) => !isUndeclared);

/**
 * Finds the parts of a request that calls cannot send: cookies, query strings, and a body of an unsupported media type. Returns
 * the required parts as `unfeedable`; calls omit the optional parts.
 */
function readUnsendable(
  document: RestDocument,
  declared: readonly RestNode[],
  operation: RestNode,
  body: RestOperation["body"],
): Pick<RestOperation, "unfeedable" | "unsentCookies" | "unsentBody"> {
  const cookies = (isNeeded: boolean) =>
    declared.flatMap((node) => {
      const { name, in: location } = membersOf(node.value);
      if (isRequired(node) !== isNeeded) return [];
      if (location === "querystring" && readQueryString(document, node).length === 0)
        return [{ name: `the query string "${name}"`, node }];
      return location === "cookie" ? [{ name: `the cookie "${name}"`, node }] : [];
    });
  const unfeedable = cookies(true);
  const unsentCookies = cookies(false);
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

/** Returns the servers of the operation or its path item, which replace those of the document (OpenAPI 3.1 §4.8.10). */
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

/** Returns the shape of a parameter, from its `schema` or from the only entry of its `content`. */
function schemaShape(document: RestDocument, node: RestNode): Shape {
  const [entry] = entriesOf(document, document.child(node, "content"));
  const isInContent = entry && !("schema" in (node.value as object));
  return shapeAt(document, schemaIn(isInContent ? entry : node));
}

/** Returns the `schema` of a parameter or a media type, or an empty schema. */
const schemaIn = (node: RestNode): RestNode =>
  isRecord(node.value) && "schema" in node.value ? nodeBelow(node, "schema") : { ...node, value: {} };

/** The tests that recognise a JSON media type. The test for the preferred media type comes first. */
const jsonTests = [(media: string) => /^application\/json\s*(?:;|$)/i.test(media), isJson, includesJson];

/** Reads the body in the preferred media type: JSON, then a form, text, or a multipart form that does not require files. */
function readRequestBody(document: RestDocument, operation: RestNode): RestOperation["body"] {
  const node = document.child(operation, "requestBody");
  const found = node && contentOf(document, node, [...jsonTests, isForm, isText, isMultipartForm]);
  if (!found) return undefined;
  const { media } = found;
  const shape = isText(media) && !isJson(media) ? textShape(found.shape) : found.shape;
  const required = (node.value as Record<string, unknown>).required === true;
  const body = { shape, node, required, media: includesJson(media) ? "application/json" : media };
  const encodings = document.child(found.entry, "encoding")?.value;
  if (isForm(media)) return { ...body, formStyles: formStylesOf(shape, encodings) };
  if (!isMultipartForm(media)) return body;
  const formStyles = partStylesOf(shape, encodings, document.versions.is30(found.entry.file));
  return isSentWithoutFiles(shape, formStyles) ? { ...body, formStyles } : undefined;
}

/**
 * Returns how a form serializes its lists and objects (OpenAPI 3.1 §4.8.15.1). Without a documented style, a list is sent as
 * repeated values, and an object as JSON.
 */
function formStylesOf(shape: Shape, encodings: unknown): FormStyles {
  const composed = [...shape.properties.values()].filter(
    ({ shape: { types } }) => types.has("array") || types.has("object"),
  );
  return new Map(
    composed.map(({ name, shape: { types } }) => {
      const given = membersOf(own(membersOf(encodings), name));
      const usual = given.explode === undefined ? styleOfMedia(given.contentType, types) : "form";
      const style = typeof given.style === "string" ? given.style : usual;
      const explode =
        typeof given.explode === "boolean" ? given.explode : style === "form" || style === "deepObject";
      return [name, { style, explode }] as const;
    }),
  );
}

/** Without a style, the media type determines the serialization (OpenAPI 3.1.1 §4.8.15.1). */
function styleOfMedia(media: unknown, types: Shape["types"]): string {
  if (typeof media !== "string") return types.has("object") ? "json" : "form";
  if (isJson(media)) return "json";
  return includes(media, "text/plain") && !types.has("object") ? "form" : "content";
}

/**
 * Returns how a multipart form serializes its parts: lists as repeated parts, objects as JSON (OpenAPI 3.1 §4.8.15.2). A part
 * whose media type is neither text nor JSON is a file. A documented style overrides the media type (OpenAPI 3.1.1 §4.8.15.1.2),
 * but multipart forms have no styles in OpenAPI 3.0 (3.0.4 §4.7.15.1).
 */
function partStylesOf(shape: Shape, encodings: unknown, is30: boolean): FormStyles {
  return new Map(
    [...shape.properties.values()].flatMap(({ name, shape: value }): [string, Style][] => {
      const { contentType, ...given } = membersOf(own(membersOf(encodings), name));
      if (!is30 && usualMediaOf(value) !== file && ("style" in given || "explode" in given))
        return styleOfPart(value, given).map((style) => [name, style]);
      const media = typeof contentType === "string" ? contentType : usualMediaOf(value);
      if (isJson(media)) return [[name, { style: "json", explode: false }]];
      const isList = value.types.has("array");
      if (!includes(media, "text/plain"))
        return [[name, { style: isList && isText(media) ? "content" : "file", explode: false }]];
      return isList ? [[name, { style: "form", explode: true }]] : [];
    }),
  );
}

/**
 * Returns the style of a part in a multipart form. A style is supported only if it serializes a value like the default: a single
 * value as text, a list as repeated parts. An unsupported style is returned as a description, which `check-styles.ts` reports.
 */
function styleOfPart({ types }: Shape, { style = "form", explode }: Record<string, unknown>): Style[] {
  const isExploded = typeof explode === "boolean" ? explode : style === "form" || style === "deepObject";
  const isList = types.has("array");
  if (style === "form" && !types.has("object") && (isExploded || !isList))
    return isList ? [{ style: "form", explode: true }] : [];
  return [{ style: `${style} ${isExploded ? "with" : "without"} explode in a part`, explode: isExploded }];
}

/**
 * Returns the default media type of a part (OpenAPI 3.0 §4.7.15.1, 3.1 §4.8.15.1). A list has the media type of files if its
 * items are files; otherwise it is sent as text.
 */
function usualMediaOf({ types, items, format = "", node }: Shape): string {
  if (types.has("array")) return items && usualMediaOf(items) === file ? file : "text/plain";
  if (types.has("object")) return "application/json";
  const { contentMediaType, contentEncoding } = membersOf(node.value);
  const isFile = types.size === 0 || fileFormats.has(format) || contentMediaType || contentEncoding;
  return isFile ? file : "text/plain";
}

const file = "application/octet-stream";
const fileFormats: ReadonlySet<string> = new Set(["binary", "byte", "base64", "file"]);

const filesOf = (shape: Shape, styles: FormStyles): Property[] =>
  requestProperties(shape).filter(({ name }) => styles.get(name)?.style === "file");

/** Whether the form can be sent without its files: no file is required, and the form has other properties. */
function isSentWithoutFiles(shape: Shape, styles: FormStyles): boolean {
  const files = filesOf(shape, styles);
  const hasOthers = files.length < requestProperties(shape).length;
  return !shape.hasMembers && hasOthers && !files.some(({ required }) => required);
}

/** Returns the names of a multipart form's required files. */
function requiredFiles(document: RestDocument, body: RestNode): string[] {
  const found = contentOf(document, body, [isMultipartForm]);
  if (!found) return [];
  const encodings = document.child(found.entry, "encoding")?.value;
  const styles = partStylesOf(found.shape, encodings, document.versions.is30(found.entry.file));
  return filesOf(found.shape, styles).flatMap(({ required, name }) => (required ? [name] : []));
}

function readResponses(document: RestDocument, operation: RestNode): DocumentedResponse[] {
  const responses = document.child(operation, "responses");
  return keysOf(responses).map((status) => {
    const node = document.child(responses, status);
    return { status, node, content: keysOf(document.child(node, "content")) };
  });
}

/**
 * Returns the documented 2xx responses. If the operation documents no 2xx and no 3xx response, its `default` response counts as
 * 2xx (OpenAPI 3.1 §4.8.16.1), because some generators write only this response. A `default` response does not count if it has no
 * content, or only problem details (RFC 9457).
 */
function documentedSuccesses(responses: readonly DocumentedResponse[]): DocumentedResponse[] {
  if (responses.some((each) => isSuccess(each) || isRedirect(each))) return responses.filter(isSuccess);
  return responses
    .filter(({ status, content }) => status === "default" && !content.every(isProblem))
    .map((response) => ({ ...response, status: "2XX" }));
}

const isProblem = (media: string): boolean => /^application\/problem\+/i.test(media);

const readSuccesses = (document: RestDocument, successes: readonly DocumentedResponse[]): SuccessResponse[] =>
  successes.flatMap((given): SuccessResponse[] => {
    const { status, node, content } = given;
    if (!node) return [];
    const response = { ...given, headers: entriesByKey(document, document.child(node, "headers")) };
    // 204 and 205 never have content, whatever the document says (RFC 9110 §15.3.5, §15.3.6)
    if (status === "204" || status === "205") return [response];
    const [media] = content;
    const whole = content.filter((each) => !isStream(document, node, each));
    const json = contentOf(document, node, jsonTests, whole);
    const found = json ?? contentOf(document, node, [isText], whole);
    if (!found) return [{ ...response, media, ...(whole.length < content.length && { isStream: true }) }];
    if (!json) return [{ ...response, media: found.media, shape: textShape(found.shape) }];
    const sameMedia = whole.filter((each) => isSameJson(document, node, json, each));
    return [
      { ...response, media: json.media, shape: json.shape, ...(sameMedia.length > 0 && { sameMedia }) },
    ];
  });

/** Whether `media` is a JSON media type of the response that has the same schema as the chosen media type. */
function isSameJson(
  document: RestDocument,
  response: RestNode,
  chosen: { readonly media: string; readonly entry: RestNode },
  media: string,
): boolean {
  const entry = document.child(document.child(response, "content"), media);
  if (!entry || media === chosen.media || !isJson(media) || !/^[\x20-\x7e]+$/.test(media)) return false;
  if (entry.file !== chosen.entry.file) return false; // the same `$ref` may have another target in another file
  return isDeepStrictEqual(schemaIn(entry).value, schemaIn(chosen.entry).value);
}

/** A text body is a string, whatever its schema says. */
const textShape = (shape: Shape): Shape =>
  isOnly(shape, "string") ? shape : new Shape({ node: shape.node, types: ["string"] });

/**
 * Whether the content is a stream of items: the media type has an `itemSchema`, but no JSON `schema` for the content as
 * a whole (OpenAPI 3.2, Media Type Object).
 */
function isStream(document: RestDocument, node: RestNode, media: string): boolean {
  const { itemSchema, schema } = membersOf(document.child(document.child(node, "content"), media)?.value);
  return itemSchema !== undefined && (schema === undefined || !isJson(media));
}

/**
 * Returns the preferred entry of `content`: among the `allowed` media types, the one that passes the earliest of the
 * `tests`.
 */
function contentOf(
  document: RestDocument,
  node: RestNode,
  tests: readonly ((media: string) => boolean)[],
  allowed = keysOf(document.child(node, "content")),
): { media: string; entry: RestNode; shape: Shape } | undefined {
  const content = document.child(node, "content");
  const media = tests.map((test) => allowed.find(test)).find((found) => found !== undefined);
  const entry = media === undefined ? undefined : document.child(content, media);
  return media === undefined || !entry
    ? undefined
    : { media, entry, shape: shapeAt(document, schemaIn(entry)) };
}

/** A REST operation of an OpenAPI document: the parts that bindings use (OpenAPI 3.1 §4.8.8 to §4.8.17). */
import { isSafeMethod, type Style } from "../../shared/operation.ts";
import type { NodePath } from "../diagnostic.ts";
import type { RestNode, RootNode } from "./document.ts";
import type { Shape } from "./shapes/shape.ts";

/**
 * A parameter's location (OpenAPI 3.1 §4.8.12.1), or `body` for a property of the request body. With `item`, the value is not
 * sent, but compared with a property of each item in the response.
 */
export type InputLocation = "path" | "query" | "header" | "body" | "item";

export type Parameter = {
  readonly name: string;
  readonly in: InputLocation;
  readonly required: boolean;
  readonly node: RestNode;
  readonly shape: Shape;
  /** How arrays and objects are serialized (OpenAPI 3.1 §4.8.12.2); `json` for a parameter with JSON `content`. */
  readonly style: string;
  readonly explode: boolean;
  /** If true, reserved characters in the value are not percent-encoded. */
  readonly allowReserved?: true;
  /** `x-limit-per`: the name of an array parameter. The limit applies to the results for each item of that array. */
  readonly limitPer?: string;
  /** The header contains a credential that is forwarded from the caller, so no GraphQL argument supplies it. */
  readonly isForwarded?: true;
};

/** Identifies a parameter by its location and its name (OpenAPI 3.1 §4.8.12.1). Header names are case-insensitive. */
export const inputKey = (parameter: Pick<Parameter, "in" | "name">): string =>
  `${parameter.in}:${parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name}`;

/**
 * The serialization style of each form property. The supported styles are those of OpenAPI, and `json`. Any other style marks a
 * property that cannot be sent: for example `file`, or `content` for an unsupported media type.
 */
export type FormStyles = ReadonlyMap<string, Style>;

/** A documented response. `status` is its key in the document, for example `200`, `4XX` or `default`. */
export type DocumentedResponse = {
  readonly status: string;
  /** `undefined` if the response's `$ref` cannot be resolved. */
  readonly node: RestNode | undefined;
  /** The media types of the response's content. */
  readonly content: readonly string[];
};

/** A documented 2xx response, or `default` if no 2xx or 3xx response is documented. */
export type SuccessResponse = DocumentedResponse & {
  /** The media type of the body from which fields get their values; absent if the response has no content. */
  readonly media?: string;
  /** Further JSON media types of the response that have the same schema as `media`. */
  readonly sameMedia?: readonly string[];
  /** The content is a stream of items (`itemSchema`), which fields cannot return. */
  readonly isStream?: true;
  /** The shape of a JSON or text body. */
  readonly shape?: Shape;
  readonly headers: ReadonlyMap<string, RestNode>;
};

export type RestOperation = {
  /** The `operationId` (with several documents `shop/listThings`), or method and path if that is missing or not unique. */
  readonly id: string;
  /** The field of the path item, such as `get`, or the key in `additionalOperations`, such as `COPY`. */
  readonly method: string;
  /** The path in the document; with several documents, prefixed with the document's name: `shop/things/{id}`. */
  readonly path: string;
  /** Determines the upstream: the document's name, or the first tag if there is only one document. */
  readonly product: string;
  readonly root: RootNode;
  readonly summary?: string;
  readonly permission?: string;
  readonly node: RestNode;
  /** The operation's path item. */
  readonly item: RestNode;
  readonly parameters: readonly Parameter[];
  readonly body?: {
    readonly shape: Shape;
    readonly required: boolean;
    readonly node: RestNode;
    readonly media: string;
    /** How a form serializes its lists and objects; absent for other bodies. */
    readonly formStyles?: FormStyles;
  };
  /** The optional parameters that calls omit: cookies, and query strings (`in: querystring`) that are not form-encoded. */
  readonly unsentCookies: readonly { readonly name: string; readonly node: RestNode }[];
  /** The optional body that calls omit, because none of its media types is supported. */
  readonly unsentBody?: { readonly node: RestNode; readonly media: readonly string[] };
  /** The servers of the operation or its path item, which replace those of the document. */
  readonly servers?: { readonly node: RestNode; readonly urls: readonly string[] };
  readonly responses: readonly DocumentedResponse[];
  readonly successes: readonly SuccessResponse[];
  /** Required parts of the request that calls cannot send: cookies, and a query string or body in an unsupported media type. */
  readonly unfeedable: readonly {
    readonly name: string;
    readonly node: RestNode;
    readonly below?: NodePath;
  }[];
};

/** The methods that are fields of a path item (OpenAPI 3.2, Path Item Object), in the order of openapi-typescript's types. */
export const itemMethods = [
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
  "query",
] as const;

export const isItemMethod = (method: string): boolean => (itemMethods as readonly string[]).includes(method);

/** The methods for which the REST client has a function. */
export const clientMethods: readonly string[] = ["get", "post", "put", "patch", "delete", "query"];

/**
 * Whether the REST client can send the method. A method for which the client has no function must be in capitals, because HTTP
 * clients may change lower-case letters to capitals. `CONNECT` is excluded, because it opens a tunnel.
 */
export const isSendable = (method: string): boolean =>
  clientMethods.includes(method) || (/^[A-Z][A-Z\d-]*$/.test(method) && method !== "CONNECT");

/** Returns the method as it is sent, for example `GET` for `get`. A method that is not a field of a path item is unchanged. */
export const sentMethod = (method: string): string => (isItemMethod(method) ? method.toUpperCase() : method);

/** Names an operation in messages and in generated comments by its method and path, for example `GET /things/{id}`. */
export const methodAndPath = ({ method, path }: Pick<RestOperation, "method" | "path">): string =>
  `${sentMethod(method)} ${path}`;

/** The path as written in the document, without the document's name. */
export const ownPath = ({ path, root: { name = "" } }: RestOperation): string => path.slice(name.length);

/**
 * Whether `one` and `other` are the same operation in two versions of the spec: they have the same id, or the same method and
 * path. Ignores the documents' names if one version has several documents and the other has a single one.
 */
export function isSameOperation(one: RestOperation, other: RestOperation): boolean {
  const isMoved = (one.root.name === undefined) !== (other.root.name === undefined);
  return (
    one.id === other.id ||
    methodAndPath(one) === methodAndPath(other) ||
    (isMoved && one.method === other.method && ownPath(one) === ownPath(other))
  );
}

/** `GET /things/{id} (getThing)`, or only `GET /things/{id}` if that is also the id. */
export const operationLabel = (operation: RestOperation): string => {
  const name = methodAndPath(operation);
  return operation.id === name ? name : `${name} (${operation.id})`;
};

export const isSafe = (method: string): boolean => isSafeMethod(sentMethod(method));

/** Whether the documented 2xx responses all lack content (as 204 does): a field bound to the operation is then null. */
export const hasNoContent = ({ successes }: RestOperation): boolean =>
  successes.length > 0 && successes.every(({ media }) => media === undefined);

/** The 2xx responses with a body that fields can show. */
export const showableResponses = ({ successes }: RestOperation) =>
  successes.flatMap(({ status, media, sameMedia = [], shape }) =>
    shape && media !== undefined ? [{ status, media, sameMedia, shape }] : [],
  );

/** Whether a header of this name is documented. Header names are case-insensitive (RFC 9110 §5.1). */
export const hasHeader = ({ headers }: SuccessResponse, header: string): boolean =>
  [...headers.keys()].some((name) => name.toLowerCase() === header);

export const documents404 = ({ responses }: RestOperation): boolean =>
  responses.some(({ status }) => status === "404");

export const isSuccess = ({ status }: DocumentedResponse): boolean => status.startsWith("2");

export const isRedirect = ({ status }: DocumentedResponse): boolean => status.startsWith("3");

/**
 * Whether an operation with an unsafe method, such as POST, documents neither a success nor a redirect. The operation is then
 * treated as if its response had no content, so that a field can at least show that the call succeeded.
 */
export const omitsSuccess = ({ method, responses }: Pick<RestOperation, "method" | "responses">): boolean =>
  !isSafe(method) && !responses.some((each) => isSuccess(each) || isRedirect(each));

/** Returns why fields cannot show a response of the operation, as the end of a sentence that starts with the operation's name. */
export function unshowableReason({ successes, responses }: RestOperation): string {
  if (successes.some(({ isStream }) => isStream))
    return "documents a stream of items (`itemSchema`) as its response";
  if (successes.length > 0) return "documents no JSON or text response";
  return responses.some(isRedirect)
    ? "responds with a redirect, which is never followed"
    : "documents no success response that a query could show";
}

/** A REST operation of the OpenAPI document, with the parts that a binding uses (OpenAPI 3.1 §4.8.8 to §4.8.17). */
import type { Style } from "../../shared/operation.ts";
import type { NodePath } from "../diagnostic.ts";
import type { RestNode, RootNode } from "./document.ts";
import type { Shape } from "./shapes/shape.ts";

/**
 * A parameter's location (OpenAPI 3.1 §4.8.12.1), or `body` for a property of the JSON body. `item`: REST does not take the
 * value; it is compared with a property of each item of the answer.
 */
export type InputLocation = "path" | "query" | "header" | "body" | "item";

export type Parameter = {
  readonly name: string;
  readonly in: InputLocation;
  readonly required: boolean;
  readonly node: RestNode;
  readonly shape: Shape;
  /** How arrays and objects are serialized (OpenAPI 3.1 §4.8.12.2); `json`: in a media type of its own, which is JSON. */
  readonly style: string;
  readonly explode: boolean;
  /** A query parameter whose reserved characters are not percent-encoded. */
  readonly allowReserved?: true;
  /** `x-limit-per`: names an array parameter. This parameter then limits the results of each of its items. */
  readonly limitPer?: string;
  /** A header that brings a credential: the caller's own is forwarded, and no field needs to feed it. */
  readonly isForwarded?: true;
};

/** A parameter's identity is its location and its name (OpenAPI 3.1 §4.8.12.1). Header names are case-insensitive. */
export const inputKey = (parameter: Pick<Parameter, "in" | "name">): string =>
  `${parameter.in}:${parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name}`;

/**
 * How a form writes its properties. The style `json` writes an object as JSON; `file` and `content` (in another media type)
 * cannot be written.
 */
export type FormStyles = ReadonlyMap<string, Style>;

/** A documented response, by its key: `200`, `4XX`, `default`. */
export type DocumentedResponse = {
  readonly status: string;
  /** Absent: its `$ref` cannot be resolved. */
  readonly node: RestNode | undefined;
  /** The media types of its content. */
  readonly content: readonly string[];
};

/** A documented 2xx response. */
export type SuccessResponse = DocumentedResponse & {
  /** Absent: the response has no content. */
  readonly media?: string;
  /** The shape of a JSON body or of a text; absent: the response has neither. */
  readonly shape?: Shape;
  /** The documented headers, by name. */
  readonly headers: ReadonlyMap<string, RestNode>;
};

export type RestOperation = {
  /** The `operationId`, of several documents as `shop/listThings`; the method and path where it has none of its own. */
  readonly id: string;
  readonly method: string;
  /** Of several documents behind the document's name: `shop/things/{id}`. */
  readonly path: string;
  /** The document's name or, if there is one document, the first tag: it names the upstream that receives the call. */
  readonly product: string;
  /** The document that the operation is of. */
  readonly root: RootNode;
  readonly summary?: string;
  readonly permission?: string;
  readonly node: RestNode;
  /** The path item that the operation stands in. */
  readonly item: RestNode;
  readonly parameters: readonly Parameter[];
  readonly body?: {
    readonly shape: Shape;
    readonly required: boolean;
    readonly node: RestNode;
    readonly media: string;
    /** A form's body: how its lists and objects are written. */
    readonly formStyles?: FormStyles;
  };
  /** Optional cookies. */
  readonly unsentCookies: readonly { readonly name: string; readonly node: RestNode }[];
  /** An optional body in media types that no binding can write. */
  readonly unsentBody?: { readonly node: RestNode; readonly media: readonly string[] };
  /** The servers of the operation or of its path. */
  readonly servers?: { readonly node: RestNode; readonly urls: readonly string[] };
  readonly responses: readonly DocumentedResponse[];
  readonly successes: readonly SuccessResponse[];
  /** Required parts of the request that a binding cannot feed: cookies, a body of media types that no binding can write. */
  readonly unfeedable: readonly {
    readonly name: string;
    readonly node: RestNode;
    readonly below?: NodePath;
  }[];
};

/** The methods that a binding can send. */
export const boundMethods: readonly string[] = ["get", "post", "put", "patch", "delete"];

/** `GET /things/{id}`: names an operation in messages and in generated comments. */
export const methodAndPath = ({ method, path }: Pick<RestOperation, "method" | "path">): string =>
  `${method.toUpperCase()} ${path}`;

/** The path as the document writes it. */
export const ownPath = ({ path, root: { name = "" } }: RestOperation): string => path.slice(name.length);

/**
 * Whether both are one operation, which keeps its `operationId`, or its method and path. It stays one when the only document
 * becomes one of several.
 */
export function isSameOperation(one: RestOperation, other: RestOperation): boolean {
  const isMoved = (one.root.name === undefined) !== (other.root.name === undefined);
  return (
    one.id === other.id ||
    methodAndPath(one) === methodAndPath(other) ||
    (isMoved && one.method === other.method && ownPath(one) === ownPath(other))
  );
}

/** `GET /things/{id} (getThing)`; without the id where that is the method and path. */
export const operationLabel = (operation: RestOperation): string => {
  const name = methodAndPath(operation);
  return operation.id === name ? name : `${name} (${operation.id})`;
};

export const isSafe = (method: string): boolean => method === "get";

/** Whether the operation documents 2xx responses and content for none of them (204). Its result is null. */
export const hasNoContent = ({ successes }: RestOperation): boolean =>
  successes.length > 0 && successes.every(({ media }) => media === undefined);

/** The documented successes with a body that a field can show. */
export const showableResponses = ({ successes }: RestOperation) =>
  successes.flatMap(({ status, media, shape }) =>
    shape && media !== undefined ? [{ status, media, shape }] : [],
  );

/** Whether a header of this name is documented. Header names are case-insensitive (RFC 9110 §5.1). */
export const hasHeader = ({ headers }: SuccessResponse, header: string): boolean =>
  [...headers.keys()].some((name) => name.toLowerCase() === header);

/** Whether a 404 response is documented. */
export const documents404 = ({ responses }: RestOperation): boolean =>
  responses.some(({ status }) => status === "404");

export const isSuccess = ({ status }: DocumentedResponse): boolean => status.startsWith("2");

const isRedirect = ({ status }: DocumentedResponse): boolean => status.startsWith("3");

/**
 * Whether the operation changes something, and documents no success and no redirect. Its success is read as one without
 * content: that it was done is all that a field can say.
 */
export const omitsSuccess = ({ method, responses }: Pick<RestOperation, "method" | "responses">): boolean =>
  !isSafe(method) && !responses.some((each) => isSuccess(each) || isRedirect(each));

/** Follows the operation's name where no answer of it can be shown. */
export function unshowableReason({ successes, responses }: RestOperation): string {
  if (successes.length > 0) return "documents no JSON or text response";
  return responses.some(isRedirect)
    ? "responds with a redirect, which is never followed"
    : "documents no success response that a query could show";
}

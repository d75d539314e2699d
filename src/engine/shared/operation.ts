/** The metadata of bound operations that codegen writes to `generated/operations.ts` for the REST client. */

/** Serialization of a parameter (OpenAPI 3.1 §4.8.12.2). `json` means that the parameter's `content` is JSON (§4.8.12.1). */
export type Style = {
  readonly style: string;
  readonly explode: boolean;
  /** If true, reserved characters that are valid in a query are not percent-encoded. */
  readonly allowReserved?: true;
};

/** Whether a method only reads data. QUERY is like GET, but its request has a body (draft-ietf-httpbis-safe-method-w-body). */
export const isSafeMethod = (method: string): boolean => method === "GET" || method === "QUERY";

export type Operation = {
  /** The `operationId`, or method and path if the operation has no `operationId`. */
  readonly id: string;
  /** The first tag, or the document's name, in upper case with `_` for `-`. Selects the upstream; empty for the default one. */
  readonly product: string;
  /** The permission that a caller needs. Absent if the document names none. */
  readonly permission?: string;
  /** The styles of array and object parameters, and of a form's properties, by `<in>:<name>`. */
  readonly style?: Readonly<Record<string, Style>>;
  /** Lower-case request headers with credentials, one list per alternative security requirement; absent if there is none. */
  readonly credentials?: readonly (readonly string[])[];
  /** One entry for each alternative security requirement. Absent if no requirement names an OAuth scope. */
  readonly scopes?: readonly ScopeRequirement[];
  /** A read with `security: []`. A call contains no data of the caller, so callers may share a public response. */
  readonly public?: true;
  /** The operation accepts calls without credentials, so a successful call does not prove that its credentials were valid. */
  readonly anonymous?: true;
  /** Maps the header in which clients send a credential to the place where REST expects this credential. */
  readonly places?: Readonly<Record<string, CredentialPlace>>;
  /** The server's credentials, which replace the caller's, and the only origin to which they are sent. */
  readonly held?: {
    readonly origin: string;
    readonly credentials: readonly HeldCredential[];
    /** The request parameter that the server sets to the tenant of the caller. */
    readonly tenant?: TenantParameter;
    /** The server checks this permission of the caller, because REST sees only the server's credential. */
    readonly permission?: string;
    /** The rate limit of the REST service's vendor. Absent if `spec/credentials.yaml` does not state it. */
    readonly rateLimit?: { readonly requests: number; readonly seconds: number };
  };
  /** Headers that every call of the product sends with a fixed value (`spec/credentials.yaml`), by their lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The media type of the request body, if not `application/json`. */
  readonly media?: string;
  /** The `Accept` header of a call, if not `application/json`. */
  readonly accept?: string;
  /** The document allows a success response with a text body. */
  readonly text?: true;
  /** Paths that fields read and that a success response may omit or set to null; an empty path is the whole body. */
  readonly nullable?: readonly string[];
  /** The document allows a success response without content. */
  readonly empty?: true;
  /** The document declares no success response with content, so the body of a response is ignored. */
  readonly unread?: true;
  /** The documented error responses, such as `404`, `4XX`, `default` (OpenAPI 3.1 §4.8.16); absent if there are none. */
  readonly refusals?: readonly string[];
  /** The keys of the documented error responses without JSON content. */
  readonly bareRefusals?: readonly string[];
  /**
   * The members of an error response's body that clients see. Of the entries that match a response's status and media type, the
   * first one whose members the body contains applies.
   */
  readonly errors?: readonly ErrorMembers[];
};

/** A security requirement: the lower-case request headers with its credentials, and the scopes of OAuth that it requires. */
export type ScopeRequirement = { readonly headers: readonly string[]; readonly scopes: readonly string[] };

/** Paths of members in an error response's body, such as `error.message`. */
type ErrorPaths = {
  /** A message for people. `code`: REST's error code. `field`: the name of the rejected value. */
  readonly message?: string;
  readonly code?: string;
  readonly field?: string;
};

/** Error members that the document declares (`x-error-mapping`, RFC 9457), and the responses that have them. */
export type ErrorMembers = ErrorPaths & {
  readonly statuses: readonly string[];
  readonly media: string;
  readonly title?: string;
  /** The path of a list of errors. Its items are strings, or objects in which `item` gives the paths. */
  readonly list?: string;
  readonly item?: ErrorPaths;
  /** The list is a map from the name of each rejected value to its messages. */
  readonly isMap?: true;
};

/** Where the REST request contains a credential that clients send in another header. */
export type CredentialPlace = { readonly in: "query" | "cookie" | "header"; readonly name: string };

/** A credential that the server holds (`spec/credentials.yaml`), and where REST expects it. */
export type HeldCredential = CredentialPlace & {
  /** The scheme with which a value in `Authorization` begins (RFC 6750 §2.1, RFC 7617 §2); absent for an API key. */
  readonly scheme?: "Bearer" | "Basic";
  /** Path below `CREDENTIALS_DIRECTORY`: a file or, with `perTenant`, a folder with one file per tenant. */
  readonly file: string;
  readonly perTenant?: true;
  /** Exchanges the client's id and secret, which `file` contains, for the token that REST receives. */
  readonly token?: TokenEndpoint;
};

export type TenantParameter = {
  readonly in: "path" | "query" | "header" | "body";
  readonly name: string;
};

/** The token endpoint of the client credentials grant (RFC 6749 §4.4). */
export type TokenEndpoint = {
  readonly url: string;
  readonly scope?: string;
  /** If true, the client's id and secret are sent in the form of the token request, not in `Authorization` (RFC 6749 §2.3.1). */
  readonly inBody?: true;
};

/**
 * Normalizes a name as CGI and PHP do: they replace characters of headers and parameters, and PHP reads `key[]` as `key` and
 * drops white space before a name and everything after a NUL. REST may confuse names that have the same result.
 */
export const spellingOf = (name: string): string =>
  name
    .replace(/^\s+|[\0[].*$/gs, "")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "-");

/**
 * The operations by method and path, for example `GET /things`. If there are several documents, the path begins with the name of
 * the document, for example `GET shop/things`.
 */
export type Operations = Readonly<Record<string, Operation>>;

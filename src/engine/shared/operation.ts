/**
 * The metadata of REST operations that the schema uses. Codegen writes it to `generated/operations.ts`, and the REST client reads
 * it.
 */

/**
 * How a parameter is serialized (OpenAPI 3.1 §4.8.12.2). The style `json` means that the document declares the parameter's value
 * as JSON with `content` (§4.8.12.1).
 */
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
  /**
   * The first tag of the operation, or the name of its document, in upper case and with `_` instead of `-`. It selects the URL to
   * which the call is sent. It is empty for the default URL.
   */
  readonly product: string;
  /** The permission that a caller needs. Absent if the document names none. */
  readonly permission?: string;
  /** The styles of array and object parameters, and of a form's properties, by `<in>:<name>`. */
  readonly style?: Readonly<Record<string, Style>>;
  /**
   * The lower-case names of the request headers that contain credentials: one list for each alternative security requirement.
   * Absent if there are no alternatives.
   */
  readonly credentials?: readonly (readonly string[])[];
  /** One entry for each alternative security requirement. Absent if no requirement names an OAuth scope. */
  readonly scopes?: readonly ScopeRequirement[];
  /**
   * The operation only reads, and the document declares `security: []`. A call contains no data of the caller, so several callers
   * may share a public response.
   */
  readonly public?: true;
  /** The operation accepts calls without credentials, so a successful call does not prove that its credentials were valid. */
  readonly anonymous?: true;
  /** Maps the header in which clients send a credential to the place where REST expects this credential. */
  readonly places?: Readonly<Record<string, CredentialPlace>>;
  /**
   * Credentials that the server holds and sends instead of those of the caller. `origin`: the only origin to which they are sent.
   */
  readonly held?: {
    readonly origin: string;
    readonly credentials: readonly HeldCredential[];
    /** The request parameter that the server sets to the tenant of the caller. */
    readonly tenant?: TenantParameter;
    /**
     * The permission that the server requires of the caller. REST cannot check it, because REST receives only the server's
     * credential.
     */
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
  /**
   * The paths in a success response that GraphQL fields read and whose values may be null or absent. An empty path means the
   * whole body.
   */
  readonly nullable?: readonly string[];
  /** The document allows a success response without content. */
  readonly empty?: true;
  /** The document declares no success response with content, so the body of a response is ignored. */
  readonly unread?: true;
  /**
   * The keys of the error responses in the document, such as `404`, `4XX` and `default` (OpenAPI 3.1 §4.8.16). Absent if there
   * are none.
   */
  readonly refusals?: readonly string[];
  /** The keys of those error responses in the document that have no JSON content. */
  readonly bareRefusals?: readonly string[];
  /**
   * The members of an error response's body that clients see. If several entries match the status and the media type of a
   * response, the first entry applies whose members the body contains.
   */
  readonly errors?: readonly ErrorMembers[];
};

/**
 * A security requirement. `headers`: the lower-case names of the request headers that contain its credentials. `scopes`: the
 * OAuth scopes that it requires.
 */
export type ScopeRequirement = { readonly headers: readonly string[]; readonly scopes: readonly string[] };

/** Paths of members in an error response's body, such as `error.message`. */
type ErrorPaths = {
  /**
   * `message`: the path of a message for people. `code`: the path of REST's error code. `field`: the path of the rejected value's
   * name.
   */
  readonly message?: string;
  readonly code?: string;
  readonly field?: string;
};

/**
 * The members of an error response's body that the document declares (`x-error-mapping`, RFC 9457). `statuses` and `media`: the
 * responses whose bodies have these members.
 */
export type ErrorMembers = ErrorPaths & {
  readonly statuses: readonly string[];
  readonly media: string;
  readonly title?: string;
  /** The path of a list of errors. Its items are strings, or objects in which `item` gives the paths. */
  readonly list?: string;
  readonly item?: ErrorPaths;
  /**
   * Instead of a list, `list` is the path of an object that maps the name of each rejected value to the messages about this
   * value.
   */
  readonly isMap?: true;
};

/** Where REST expects a credential that clients send in another header. */
export type CredentialPlace = { readonly in: "query" | "cookie" | "header"; readonly name: string };

/** A credential that the server holds (`spec/credentials.yaml`), and where REST expects it. */
export type HeldCredential = CredentialPlace & {
  /**
   * The authentication scheme, with which the value of `Authorization` begins (RFC 6750 §2.1, RFC 7617 §2). Absent if the
   * credential is an API key.
   */
  readonly scheme?: "Bearer" | "Basic";
  /**
   * The path of the credential, relative to `CREDENTIALS_DIRECTORY`. It is a file or, if `perTenant` is true, a folder with one
   * file per tenant.
   */
  readonly file: string;
  readonly perTenant?: true;
  /**
   * The endpoint that issues the token that REST receives, in exchange for the client's id and secret. `file` contains this id
   * and secret.
   */
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
 * Normalizes the name of a header or parameter, as a REST service in CGI or PHP may do. CGI and PHP replace special characters.
 * PHP also reads `key[]` as `key`, and drops white space before a name and everything after a NUL. REST may treat names with the
 * same normalized form as the same name.
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

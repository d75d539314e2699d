/** What codegen tells the REST client of each bound operation: `generated/operations.ts` holds it. */

/** How a value is written (OpenAPI 3.1 §4.8.12.2); `json`: as JSON. */
export type Style = {
  readonly style: string;
  readonly explode: boolean;
  /** The reserved characters that a query can hold are not percent-encoded. */
  readonly allowReserved?: true;
};

export type Operation = {
  /** The `operationId`; the method and path where it has none. */
  readonly id: string;
  /** The first tag, or the document's name, in upper case, with `-` as `_`. Its upstream takes the call. Empty: the platform's own. */
  readonly product: string;
  /** The permission that a caller needs, where the document names one. */
  readonly permission?: string;
  /** The styles of array and object parameters, and of a form's properties, by `<in>:<name>`. */
  readonly style?: Readonly<Record<string, Style>>;
  /** The request headers that bring its credentials, in lower case: a list for each way in. Absent: it takes none. */
  readonly credentials?: readonly (readonly string[])[];
  /** REST answers without a credential too, so a success does not say that one is good. */
  readonly anonymous?: true;
  /** Header → where REST takes the credential that comes in it, if that is its query, a cookie or another header. */
  readonly places?: Readonly<Record<string, CredentialPlace>>;
  /** The media type of its body, if that is not `application/json`. */
  readonly media?: string;
  /** The `Accept` header of a call, if it is not `application/json`. */
  readonly accept?: string;
  /** A success that is text is documented. */
  readonly text?: true;
  /** The places in a success (`data.list`; empty: the whole) that fields read and that the document allows to be null or absent. */
  readonly nullable?: readonly string[];
  /** A success without content is documented. */
  readonly empty?: true;
  /** No success with content is documented: a body that comes all the same is not read. */
  readonly unread?: true;
  /** The refusals that are documented: `404`, `4XX`, `default` (OpenAPI 3.1 §4.8.16). Absent: the document names none. */
  readonly refusals?: readonly string[];
  /** Those of them that have no content, or none that is JSON. */
  readonly bareRefusals?: readonly string[];
};

/** Where REST takes a credential that comes in a header of another name. */
export type CredentialPlace = { readonly in: "query" | "cookie" | "header"; readonly name: string };

/** By method and path: `GET /things`. Of several documents, the path stands behind the document's name: `GET shop/things`. */
export type Operations = Readonly<Record<string, Operation>>;

/** What the client must know of a REST operation at run time; `generated/operations.ts` holds one for each that is bound. */
export type Operation = {
  /** The `operationId`. */
  readonly id: string;
  /** The first tag, upper case, `-` as `_`: whose upstream takes the call. Empty: the platform's own. */
  readonly product: string;
  /** How array and object parameters are written, by `<in>:<name>` (OpenAPI 3.1 §4.8.12.2). */
  readonly style?: Readonly<Record<string, { readonly style: string; readonly explode: boolean }>>;
  /** The media type of its body where that is not `application/json`. */
  readonly media?: string;
  /** A success without content is documented. */
  readonly empty?: true;
};

/** The values that a binding sends for an input, as far as the proof knows them. */

export type Sent =
  /** A value of one of the types; one of `values`, if they are known. */
  | { readonly kind: "scalar"; readonly types: readonly string[]; readonly values?: readonly unknown[] }
  | { readonly kind: "list"; readonly items: Sent }
  /** The members are computed on demand: an input type may contain itself. */
  | { readonly kind: "object"; readonly members: () => ReadonlyMap<string, SentMember> }
  /** One of several values, by the client's choice (`@oneOf`). */
  | { readonly kind: "choice"; readonly of: () => readonly Sent[] }
  /** Unknown, such as the client's value of a custom scalar. */
  | { readonly kind: "any" };

export type SentMember = { readonly sent: Sent; readonly isAlways: boolean };

/** What is known, before the call, about the values that a call sends for an input. */

export type Sent =
  /** A value of one of the types, and if `values` is present, one of these. */
  | { readonly kind: "scalar"; readonly types: readonly string[]; readonly values?: readonly unknown[] }
  | { readonly kind: "list"; readonly items: Sent }
  /** An object. Its members are computed on demand, because an input type may contain itself. */
  | { readonly kind: "object"; readonly members: () => ReadonlyMap<string, SentMember> }
  /** One of several values: the client chooses one (`@oneOf`). */
  | { readonly kind: "choice"; readonly of: () => readonly Sent[] }
  /** Unknown, such as the client's value of a custom scalar. */
  | { readonly kind: "any" };

export type SentMember = { readonly sent: Sent; readonly isAlways: boolean };

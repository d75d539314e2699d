/** The values that calls may send for an input, as far as they are known before the call. */

export type Sent =
  /** A value of one of `types`; if `values` is present, one of `values`. */
  | { readonly kind: "scalar"; readonly types: readonly string[]; readonly values?: readonly unknown[] }
  | { readonly kind: "list"; readonly items: Sent }
  /** Members are computed on demand, because an input type may contain itself. */
  | { readonly kind: "object"; readonly members: () => ReadonlyMap<string, SentMember> }
  /** The client chooses one of these (`@oneOf`). */
  | { readonly kind: "choice"; readonly of: () => readonly Sent[] }
  /** Unknown, such as the value of a custom scalar. */
  | { readonly kind: "any" };

export type SentMember = { readonly sent: Sent; readonly isAlways: boolean };

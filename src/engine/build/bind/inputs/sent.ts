/** The values that a call may send for an input, as far as the build knows them. */

export type Sent =
  /** `values`: all possible values, if they are known. */
  | { readonly kind: "scalar"; readonly types: readonly string[]; readonly values?: readonly unknown[] }
  | { readonly kind: "list"; readonly items: Sent }
  /** `members` is a function, because an input type may contain itself. */
  | { readonly kind: "object"; readonly members: () => ReadonlyMap<string, SentMember> }
  /** The client chooses one of these (`@oneOf`). */
  | { readonly kind: "choice"; readonly of: () => readonly Sent[] }
  /** An unknown value, such as that of a custom scalar. */
  | { readonly kind: "any" };

export type SentMember = { readonly sent: Sent; readonly isAlways: boolean };

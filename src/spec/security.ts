/** Who may call an operation (OpenAPI 3.1 §4.8.30), and what each security scheme is (§4.8.27). */
import type { RestOperation } from "./operations.ts";
import { isRecord, type RestDocument, type RestNode } from "./rest-document.ts";

/** Alternatives, each by scheme name; an empty one lets anybody in. `owner`: whose `security` says so. */
type Security = {
  readonly owner: RestNode;
  readonly alternatives: readonly Readonly<Record<string, unknown>>[];
};

/** An operation's own list replaces the document's; an empty one asks for nothing. */
export function securityOf(document: RestDocument, { node }: RestOperation): Security {
  const ownList = listOf(node);
  const alternatives = (ownList ?? listOf(document.root) ?? []).filter(isRecord);
  return {
    owner: ownList ? node : document.root,
    alternatives: alternatives.length > 0 ? alternatives : [{}],
  };
}

const listOf = ({ value }: RestNode): unknown[] | undefined =>
  isRecord(value) && Array.isArray(value.security) ? value.security : undefined;

export const schemeOf = (document: RestDocument, name: string): RestNode | undefined =>
  document.child(document.child(document.child(document.root, "components"), "securitySchemes"), name);

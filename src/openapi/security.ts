/** The security requirements of an operation (OpenAPI 3.1 §4.8.30) and the security schemes (§4.8.27). */

import { isRecord, type RestDocument, type RestNode } from "./document.ts";
import type { RestOperation } from "./operation.ts";

type SecurityRequirements = {
  /** The node whose `security` applies: the operation or the document. */
  readonly owner: RestNode;
  /** A request meets one of these. Keys are scheme names; an empty object allows anonymous calls. */
  readonly alternatives: readonly Readonly<Record<string, unknown>>[];
};

/** An operation's own list replaces the document's. An empty list allows anonymous calls. */
export function securityRequirementsOf(
  document: RestDocument,
  { node }: RestOperation,
): SecurityRequirements {
  const ownList = listOf(node);
  const alternatives = (ownList ?? listOf(document.root) ?? []).filter(isRecord);
  return {
    owner: ownList ? node : document.root,
    alternatives: alternatives.length > 0 ? alternatives : [{}],
  };
}

const listOf = ({ value }: RestNode): unknown[] | undefined =>
  isRecord(value) && Array.isArray(value.security) ? value.security : undefined;

export const securitySchemeOf = (document: RestDocument, name: string): RestNode | undefined =>
  document.child(document.child(document.child(document.root, "components"), "securitySchemes"), name);

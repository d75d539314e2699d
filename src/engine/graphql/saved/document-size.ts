/** The memory that a parsed document takes. */
import type { DocumentNode } from "graphql";

const bytesPerToken = 100;

/** Estimates a document's bytes: its nodes as JSON, its source text and its tokens, comments included. */
export function sizeOf(document: DocumentNode): number {
  let bytes = JSON.stringify(document).length + (document.loc?.source.body.length ?? 0);
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) bytes += bytesPerToken;
  return bytes;
}

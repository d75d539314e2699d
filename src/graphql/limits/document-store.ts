/**
 * Stores the documents that Apollo has parsed and validated. The documents of saved operations stay. The total size of
 * the other documents is bounded: the least recently used documents go first.
 */
import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";
import { cachedDocumentBytes } from "../../capacity.ts";
import type { SavedOperations } from "../saved/saved-operations.ts";

const bytesPerToken = 100;

/** Estimates a document's bytes: its nodes as JSON, its source text and its tokens, comments included. */
export function sizeOf(document: DocumentNode): number {
  let bytes = JSON.stringify(document).length + (document.loc?.source.body.length ?? 0);
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) bytes += bytesPerToken;
  return bytes;
}

/**
 * Creates Apollo's `documentStore`. Apollo's default store does not count comments, so its memory has no bound. A key ends
 * with the digest of the text.
 */
export function documentStore(saved: SavedOperations) {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: cachedDocumentBytes,
    sizeCalculation: sizeOf,
  });
  return {
    get: async (key: string): Promise<DocumentNode | undefined> =>
      saved.document(digestOf(key)) ?? documents.get(key),
    set: async (key: string, document: DocumentNode): Promise<void> => {
      if (!saved.keep(digestOf(key), document)) documents.set(key, document);
    },
    delete: async (key: string): Promise<boolean> => documents.delete(key),
  };
}

const digestOf = (key: string): string => key.slice(-64);

/** The documents that Apollo has parsed and validated, bounded by all that they hold: the least recently used go first. */
import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";

/** Bytes of all documents that are kept, as `sizeOf` counts them. */
const maxBytes = 30_000_000;

const bytesPerToken = 100;

/** What a document is counted for: its nodes, as JSON has them, and the text and the tokens (comments too) they keep. */
export function sizeOf(document: DocumentNode): number {
  let bytes = JSON.stringify(document).length + (document.loc?.source.body.length ?? 0);
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) bytes += bytesPerToken;
  return bytes;
}

/** Makes Apollo's `documentStore`; its own counts no comments, and so has no bound. */
export function documentStore() {
  const documents = new LRUCache<string, DocumentNode>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  return {
    get: async (key: string): Promise<DocumentNode | undefined> => documents.get(key),
    set: async (key: string, document: DocumentNode): Promise<void> => void documents.set(key, document),
    delete: async (key: string): Promise<boolean> => documents.delete(key),
  };
}

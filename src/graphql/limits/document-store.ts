/**
 * Stores the documents that Apollo has parsed and validated. The documents of saved operations stay. The total size of
 * the other documents is bounded: the least recently used documents go first.
 */
import { hash } from "node:crypto";
import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";
import { cachedDocumentBytes } from "../../settings/capacity.ts";
import type { SavedOperations } from "../saved/saved-operations.ts";

const bytesPerToken = 100;

/** Estimates a document's bytes: its nodes as JSON, its source text and its tokens, comments included. */
export function sizeOf(document: DocumentNode): number {
  let bytes = JSON.stringify(document).length + (document.loc?.source.body.length ?? 0);
  for (let token = document.loc?.startToken; token; token = token.next ?? undefined) bytes += bytesPerToken;
  return bytes;
}

/**
 * Apollo's `documentStore`. Apollo's default store does not count comments, so its memory has no bound. A key ends with the
 * digest of the text.
 */
export class Documents {
  readonly #saved: SavedOperations;
  readonly #others = new LRUCache<string, DocumentNode>({
    maxSize: cachedDocumentBytes,
    sizeCalculation: sizeOf,
  });

  constructor(saved: SavedOperations) {
    this.#saved = saved;
  }

  /** The document of a text that Apollo has accepted before. */
  of(text: string): DocumentNode | undefined {
    return this.#find(hash("sha256", text));
  }

  async get(key: string): Promise<DocumentNode | undefined> {
    return this.#find(digestOf(key));
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    const digest = digestOf(key);
    if (!this.#saved.keep(digest, document)) this.#others.set(digest, document);
  }

  async delete(key: string): Promise<boolean> {
    return this.#others.delete(digestOf(key));
  }

  #find(digest: string): DocumentNode | undefined {
    return this.#saved.document(digest) ?? this.#others.get(digest);
  }
}

const digestOf = (key: string): string => key.slice(-64);

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
 * Apollo's `documentStore`. Apollo's default store does not count comments, so its memory has no bound. A key of Apollo's
 * ends with the digest of the text. A document is found by its text, because a digest costs more than a look-up.
 */
export class Documents {
  readonly #saved: SavedOperations;
  readonly #others = new LRUCache<string, DocumentNode>({
    maxSize: cachedDocumentBytes,
    sizeCalculation: sizeOf,
    dispose: (_document, text) => this.#texts.delete(hash("sha256", text)),
  });
  /** The texts of the other documents, by digest. */
  readonly #texts = new Map<string, string>();

  constructor(saved: SavedOperations) {
    this.#saved = saved;
  }

  /** The document of a text that Apollo has accepted before. */
  of(text: string): DocumentNode | undefined {
    return this.#saved.document(text) ?? this.#others.get(text);
  }

  async get(key: string): Promise<DocumentNode | undefined> {
    const text = this.#textOf(key);
    return text === undefined ? undefined : this.of(text);
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    const text = document.loc?.source.body;
    if (text === undefined || this.#saved.keep(text, document)) return;
    this.#texts.set(digestOf(key), text);
    this.#others.set(text, document);
  }

  async delete(key: string): Promise<boolean> {
    return this.#others.delete(this.#textOf(key) ?? "");
  }

  #textOf(key: string): string | undefined {
    const digest = digestOf(key);
    return this.#saved.text(digest) ?? this.#texts.get(digest);
  }
}

const digestOf = (key: string): string => key.slice(-64);

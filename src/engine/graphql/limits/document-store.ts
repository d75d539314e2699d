/**
 * Stores the documents that Apollo has parsed and validated. The total size of
 * the documents of saved operations is bounded, and that of the others: the least recently used documents go first.
 */
import { hash } from "node:crypto";
import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";
import { cachedDocumentBytes } from "../../settings/capacity.ts";
import type { SavedOperations } from "../saved/saved-operations.ts";
import { sizeOf } from "../saved/saved-text.ts";

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

  /** An app's manifest may have ids that are no digests of its texts. */
  #textOf(key: string): string | undefined {
    const digest = digestOf(key);
    const saved = this.#saved.byId(digest)?.text;
    return saved !== undefined && hash("sha256", saved) === digest ? saved : this.#texts.get(digest);
  }
}

const digestOf = (key: string): string => key.slice(-64);

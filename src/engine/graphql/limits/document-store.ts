/**
 * Keeps the documents that were parsed and validated. The total size of the documents of saved operations is bounded, and
 * that of the others: the least recently used documents go first.
 */
import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";
import { cachedDocumentBytes, savedDocumentBytes } from "../../settings/capacity.ts";
import type { SavedOperations } from "../saved/saved-operations.ts";
import { sizeOf } from "../saved/saved-text.ts";

/** Takes the place of Apollo's store, which does not count comments and finds a document by the digest of its text. */
export class Documents {
  readonly #saved: SavedOperations;
  readonly #ofSaved = new LRUCache<string, DocumentNode>({
    maxSize: savedDocumentBytes,
    sizeCalculation: sizeOf,
  });
  readonly #others = new LRUCache<string, DocumentNode>({
    maxSize: cachedDocumentBytes,
    sizeCalculation: sizeOf,
  });

  constructor(saved: SavedOperations) {
    this.#saved = saved;
  }

  /** The valid document of a text, unless it had to make room. */
  of(text: string): DocumentNode | undefined {
    return this.#ofSaved.get(text) ?? this.#others.get(text);
  }

  keep(text: string, document: DocumentNode): void {
    const kept = this.#saved.byText(text) ? this.#ofSaved : this.#others;
    kept.set(text, document);
  }
}

/**
 * Keeps what the parser and the validation made of a text: its document, or the response that refuses it. So a text costs
 * its parsing and validation once. The total size of the documents of saved operations is bounded, that of the others, and
 * that of the refusals: the least recently used go first.
 */
import type { GraphQLResponse } from "@apollo/server";
import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";
import { cachedDocumentBytes, cachedRefusalCharacters, savedDocumentBytes } from "../../settings/capacity.ts";
import type { SavedOperations } from "../saved/saved-operations.ts";
import { sizeOf } from "../saved/saved-text.ts";

/** Characters for a response's headers. */
const overhead = 500;

const storeOf = (maxSize: number) => new LRUCache<string, DocumentNode>({ maxSize, sizeCalculation: sizeOf });

/** Takes the place of Apollo's store, which does not count comments and finds a document by the digest of its text. */
export class Documents {
  readonly #saved: SavedOperations;
  readonly #ofSaved = storeOf(savedDocumentBytes);
  readonly #others = storeOf(cachedDocumentBytes);
  /** The responses to refused texts. */
  readonly refusals = new LRUCache<string, GraphQLResponse>({
    maxSize: cachedRefusalCharacters,
    sizeCalculation: ({ body }, text) => JSON.stringify(body).length + text.length + overhead,
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

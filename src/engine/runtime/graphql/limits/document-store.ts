/**
 * Caches the result of parsing and validating a document's text: the parsed document, or the response that refuses it.
 * Documents of saved operations, other documents and refusals have separate size limits. The least recently used entry is
 * evicted. If the documents of saved operations exceed their limit, only the owner whose documents take the most bytes loses
 * entries. An owner is an app or this service.
 */
import type { GraphQLResponse } from "@apollo/server";
import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";
import { cachedDocumentBytes, cachedRefusalCharacters, savedDocumentBytes } from "../../settings/capacity.ts";
import type { SavedOperations } from "../saved/saved-operations.ts";
import { documentSize, type SavedText } from "../saved/saved-text.ts";

/** Assumed number of characters of a response's headers. */
const overhead = 500;

const storeOf = (maxSize: number) =>
  new LRUCache<string, DocumentNode>({ maxSize, sizeCalculation: documentSize });

/** Documents of saved operations, by the first app that owns the operation, or by `undefined` for this service. */
class SavedDocuments {
  readonly #stores = new Map<string | undefined, LRUCache<string, DocumentNode>>();
  #bytes = 0;

  get({ text, firstApp }: SavedText): DocumentNode | undefined {
    return this.#stores.get(firstApp)?.get(text);
  }

  keep({ text, firstApp }: SavedText, document: DocumentNode): void {
    const store = this.#stores.get(firstApp) ?? storeOf(savedDocumentBytes);
    this.#stores.set(firstApp, store);
    this.#change(store, () => void store.set(text, document));
    while (this.#bytes > savedDocumentBytes) {
      const stores = [...this.#stores.values()];
      const largest = stores.reduce((most, each) =>
        each.calculatedSize > most.calculatedSize ? each : most,
      );
      this.#change(largest, () => void largest.pop());
    }
  }

  #change(store: LRUCache<string, DocumentNode>, change: () => void): void {
    const before = store.calculatedSize;
    change();
    this.#bytes += store.calculatedSize - before;
  }
}

/** Replaces Apollo's document store, which ignores the size of comments and looks up documents by a digest of their text. */
export class DocumentStore {
  readonly #saved: SavedOperations;
  readonly #ofSaved = new SavedDocuments();
  readonly #others = storeOf(cachedDocumentBytes);
  /** The responses that refuse documents, by the document's text. */
  readonly refusals = new LRUCache<string, GraphQLResponse>({
    maxSize: cachedRefusalCharacters,
    sizeCalculation: ({ body }, text) => JSON.stringify(body).length + text.length + overhead,
  });

  constructor(saved: SavedOperations) {
    this.#saved = saved;
  }

  of(text: string): DocumentNode | undefined {
    const saved = this.#saved.byText(text);
    return (saved && this.#ofSaved.get(saved)) ?? this.#others.get(text);
  }

  keep(text: string, document: DocumentNode): void {
    const saved = this.#saved.byText(text);
    if (saved) this.#ofSaved.keep(saved, document);
    else this.#others.set(text, document);
  }
}

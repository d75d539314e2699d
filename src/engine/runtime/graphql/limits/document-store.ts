/**
 * Keeps what the parser and the validation made of a text: its document, or the response that refuses it. So a text costs
 * its parsing and validation once. The total size of the documents of saved operations is bounded, that of the others, and
 * that of the refusals: the least recently used go first. Of saved operations they are those of the app that holds most, so
 * an app with many operations drops no other app's, nor this service's.
 */
import type { GraphQLResponse } from "@apollo/server";
import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";
import { cachedDocumentBytes, cachedRefusalCharacters, savedDocumentBytes } from "../../settings/capacity.ts";
import type { SavedOperations } from "../saved/saved-operations.ts";
import { documentSize, type SavedText } from "../saved/saved-text.ts";

/** Characters for a response's headers. */
const overhead = 500;

const storeOf = (maxSize: number) =>
  new LRUCache<string, DocumentNode>({ maxSize, sizeCalculation: documentSize });

/** The documents of saved operations, by the app that is the first owner of each; `undefined` is this service. */
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

/** Replaces Apollo's store, which does not count comments and finds a document by the digest of its text. */
export class DocumentStore {
  readonly #saved: SavedOperations;
  readonly #ofSaved = new SavedDocuments();
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
    const saved = this.#saved.byText(text);
    return (saved && this.#ofSaved.get(saved)) ?? this.#others.get(text);
  }

  keep(text: string, document: DocumentNode): void {
    const saved = this.#saved.byText(text);
    if (saved) this.#ofSaved.keep(saved, document);
    else this.#others.set(text, document);
  }
}

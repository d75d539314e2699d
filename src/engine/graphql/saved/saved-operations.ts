/**
 * The one store of saved operations: those of this service and those of the apps' manifests. It finds an operation by an id
 * or by its text.
 * Each operation of the service has a digest for each text that clients make of it. The ids of an app are taken as its
 * manifest has them.
 */
import { hash } from "node:crypto";
import { stripIgnoredCharacters } from "graphql";
import { LRUCache } from "lru-cache";
import { operationNameIn } from "../../manifests/formats.ts";
import type { Manifest } from "../../manifests/manifests.ts";
import type { OperationName } from "../../observe/records.ts";
import type { ManifestEntry } from "../../rest/api.ts";
import { otherFormatCharacters } from "../../settings/capacity.ts";
import { printedByUrql, SavedText, withTypeNames } from "./saved-text.ts";

/** An operation of an app that cannot be served. */
export type RefusedOperation = { readonly app: string; readonly name: string; readonly reason: string };

export class SavedOperations {
  readonly #own: readonly ManifestEntry[];
  #byId = new Map<string, SavedText>();
  #byText = new Map<string, SavedText>();
  /** By the operation's name: two apps may have operations of one name. */
  #byName = new Map<string, SavedText[]>();
  #apps = new Set<string>();
  /** The texts of clients that are no saved text letter by letter, with the same operation in its shortest form. */
  readonly #otherFormats = new LRUCache<string, { readonly saved: SavedText | undefined; text: string }>({
    maxSize: otherFormatCharacters,
    sizeCalculation: ({ text }, given) => given.length + text.length,
  });

  constructor(own: readonly ManifestEntry[]) {
    this.#own = own;
    this.replaceApps([]);
  }

  /** Takes the operations of the apps in place of those before. Returns those that it does not take. */
  replaceApps(manifests: readonly Manifest[]): RefusedOperation[] {
    this.#byId = new Map();
    this.#byText = new Map();
    this.#byName = new Map();
    this.#otherFormats.clear();
    for (const { id, name, body } of this.#own)
      for (const text of [body, withTypeNames(body)])
        for (const sent of [text, printedByUrql(text)])
          this.#add(sent, hash("sha256", sent), { app: undefined, name, id });
    this.#apps = new Set(manifests.map(({ app }) => app));
    return manifests.flatMap(({ app, operations }) =>
      operations.flatMap(({ id, name, body }) =>
        this.#add(body, id, { app, name, id })
          ? []
          : { app, name, reason: `its id ${id} is that of another operation` },
      ),
    );
  }

  /** Returns `false` for an id that has another text. */
  #add(text: string, id: string, owner: OperationName): boolean {
    const other = this.#byId.get(id);
    if (other && other.text !== text) return false;
    let saved = this.#byText.get(text);
    if (!saved) {
      saved = new SavedText(text);
      this.#byText.set(text, saved);
      const named = this.#byName.get(owner.name);
      if (named) named.push(saved);
      else this.#byName.set(owner.name, [saved]);
    }
    this.#byId.set(id, saved);
    saved.owners.push(owner);
    return true;
  }

  get isEmpty(): boolean {
    return this.#byId.size === 0;
  }

  /** Every text once. */
  get all(): Iterable<SavedText> {
    return this.#byText.values();
  }

  /** Whether a manifest is this app's: clients may give any name. */
  isApp(name: string): boolean {
    return this.#apps.has(name);
  }

  byId(id: string): SavedText | undefined {
    return this.#byId.get(id);
  }

  byText(text: string): SavedText | undefined {
    return this.#byText.get(text);
  }

  /** The operation that a text says in another format, and the text to run. */
  inOtherFormat(text: string): { readonly saved: SavedText | undefined; readonly text: string } {
    let found = this.#otherFormats.get(text);
    if (!found) {
      found = this.#findForm(text);
      this.#otherFormats.set(text, found);
    }
    return found;
  }

  #findForm(given: string): { saved: SavedText | undefined; text: string } {
    try {
      const text = stripIgnoredCharacters(given);
      const named = this.#byName.get(operationNameIn(text)) ?? [];
      const saved = named.find(({ forms }) => forms.includes(text));
      return { saved, text: saved ? text : "" };
    } catch {
      return { saved: undefined, text: "" }; // it is no document
    }
  }
}

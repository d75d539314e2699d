/**
 * The store of all saved operations: those of this service and those in the apps' manifests. It finds an operation by an id or by
 * its text. The ids of this service's operations are digests, one for each text into which clients convert the operation. The ids
 * of an app's operations are in its manifest. If several operations claim an id, it belongs to the operation of this service,
 * else of the app that already has the id, else of the first app in the order of `OPERATIONS_FROM`.
 */
import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { operationNameIn, type RefusedOperation } from "../../../shared/manifests/manifest-formats.ts";
import type { Manifest } from "../../../shared/manifests/manifests.ts";
import { identifiesText, normalizeId } from "../../../shared/manifests/operation-ids.ts";
import { Slices } from "../../../shared/slices.ts";
import type { OperationName } from "../../observe/request-record.ts";
import type { ManifestEntry } from "../../rest/generated-api.ts";
import { otherFormatCharacters } from "../../settings/capacity.ts";
import { clientTexts, formsOf, printAsUrql, SavedText, shortest } from "./saved-text.ts";

/** While the store is built, the event loop serves requests at least every `sliceMs`. */
const sliceMs = 5;

/**
 * Maximum number of characters of saved texts whose shortest forms are computed for one request, in total and per app: 10,000
 * take about 3 ms.
 */
const formCharacters = { ofAll: 50_000, ofApp: 10_000 };

type App = string | undefined;

/** An id's operation, and the apps that have the id, in the order of their claims. */
type Identified = { readonly saved: SavedText; readonly holders: Set<App> };

type Claim = { readonly owner: OperationName & { readonly app: string }; readonly text: string };

class Store {
  readonly byId = new Map<string, Identified>();
  readonly byText = new Map<string, SavedText>();
  /** Maps the digest of a text in its shortest form to the operation; an operation has several such texts (`formsOf`). */
  readonly #byForm = new Map<string, SavedText>();
  /**
   * Texts whose shortest forms are not computed yet, by the operation's name and then by app, because several apps may use the
   * same name.
   */
  readonly #withoutForms = new Map<string, Map<App, SavedText[]>>();

  /** Returns `false` if the id belongs to another text. */
  add(text: string, id: string, owner: OperationName): boolean {
    const existing = this.byId.get(id);
    if (existing && existing.saved.text !== text && !identifiesText(id)) return false;
    const saved = existing?.saved ?? this.byText.get(text) ?? this.#addText(text, owner);
    if (existing) existing.holders.add(owner.app);
    else this.byId.set(id, { saved, holders: new Set([owner.app]) });
    if (!saved.owners.has(owner.app)) saved.owners.set(owner.app, owner);
    return true;
  }

  #addText(text: string, { app, name }: OperationName): SavedText {
    const saved = new SavedText(text);
    this.byText.set(text, saved);
    const ofName = this.#withoutForms.get(name) ?? new Map<App, SavedText[]>();
    this.#withoutForms.set(name, ofName);
    const ofApp = ofName.get(app);
    if (ofApp) ofApp.push(saved);
    else ofName.set(app, [saved]);
    return saved;
  }

  /**
   * Returns the operation for a text in its shortest form. If many texts have the operation's name, a call computes the forms of
   * only a few of them; `isCertain` is false while the operation may be among the others.
   */
  byForm(text: string): { readonly saved: SavedText | undefined; readonly isCertain: boolean } {
    const key = hash("sha256", text);
    const name = operationNameIn(text);
    const ofName = this.#withoutForms.get(name);
    let ofAll = formCharacters.ofAll;
    for (const [app, texts] of this.#byForm.has(key) ? [] : [...(ofName ?? [])]) {
      if (ofAll <= 0) break;
      let ofApp = formCharacters.ofApp;
      while (ofApp > 0 && texts.length > 0) ofApp -= this.#addForms(texts.shift());
      ofAll -= formCharacters.ofApp - ofApp;
      ofName?.delete(app);
      if (texts.length > 0) ofName?.set(app, texts); // moves it behind the other apps
    }
    return { saved: this.#byForm.get(key), isCertain: ofName === undefined || ofName.size === 0 };
  }

  /** Adds the shortest forms of an operation's text. Returns the number of characters of the text. */
  #addForms(saved: SavedText | undefined): number {
    if (!saved) return 0;
    for (const form of formsOf(saved.text)) {
      const key = hash("sha256", form);
      if (!this.#byForm.has(key)) this.#byForm.set(key, saved);
    }
    return saved.text.length;
  }
}

export class SavedOperations {
  readonly #own: readonly { readonly text: string; readonly id: string; readonly owner: OperationName }[];
  #store: Store;
  #apps: ReadonlySet<string> = new Set();
  /**
   * For a client's text that is not identical to a saved text: the saved operation with the same content, if any, and the text in
   * its shortest form.
   */
  readonly #otherFormats = new LRUCache<string, { readonly saved: SavedText | undefined; text: string }>({
    maxSize: otherFormatCharacters,
    sizeCalculation: ({ text }, given) => given.length + text.length,
  });

  constructor(own: readonly ManifestEntry[]) {
    this.#own = own.flatMap(({ id, name, body }) =>
      clientTexts(body).flatMap((text) =>
        [text, printAsUrql(text)].map((sent) => ({
          ...{ text: sent, id: hash("sha256", sent), owner: { app: undefined, name, id } },
        })),
      ),
    );
    this.#store = this.#ownStore();
  }

  #ownStore(): Store {
    const store = new Store();
    for (const { text, id, owner } of this.#own) store.add(text, id, owner);
    return store;
  }

  /**
   * Replaces the operations of the apps, all at once when the new store is complete. Returns the operations that were refused.
   * Calls must not overlap.
   */
  async replaceApps(manifests: readonly Manifest[]): Promise<RefusedOperation[]> {
    const slices = new Slices(sliceMs);
    const claims = new Map<string, Claim[]>();
    for (const { app, operations } of manifests)
      for (const { id, name, body } of operations) {
        if (slices.isOver) await slices.next();
        const claim = { owner: { app, name, id }, text: body };
        const others = claims.get(id);
        if (others) others.push(claim);
        else claims.set(id, [claim]);
      }
    const store = this.#ownStore();
    const refused: RefusedOperation[] = [];
    for (const [id, all] of claims) {
      if (slices.isOver) await slices.next();
      const holders = [...(all.length > 1 ? (this.#store.byId.get(id)?.holders ?? []) : [])];
      const rank = ({ owner }: Claim): number =>
        holders.includes(owner.app) ? holders.indexOf(owner.app) : holders.length;
      for (const { owner, text } of all.sort((a, b) => rank(a) - rank(b)))
        if (!store.add(text, id, owner))
          refused.push({
            ...{ app: owner.app, name: owner.name },
            reason: `its id ${id} is that of another operation`,
          });
    }
    this.#store = store;
    this.#apps = new Set(manifests.map(({ app }) => app));
    this.#otherFormats.clear();
    return refused;
  }

  get isEmpty(): boolean {
    return this.#store.byId.size === 0;
  }

  /** All saved texts, each once. */
  get all(): Iterable<SavedText> {
    return this.#store.byText.values();
  }

  /** Whether an app of this name has a manifest. A client may send a name that it made up. */
  isApp(name: string): boolean {
    return this.#apps.has(name);
  }

  /** Finds an operation by its id, in any spelling that clients use (`normalizeId`). */
  byId(id: string): SavedText | undefined {
    return this.#store.byId.get(normalizeId(id))?.saved;
  }

  byText(text: string): SavedText | undefined {
    return this.#store.byText.get(text);
  }

  /** Finds the operation of a text that is formatted differently. Returns it with the text to execute. */
  inOtherFormat(text: string): { readonly saved: SavedText | undefined; readonly text: string } {
    const cached = this.#otherFormats.get(text);
    if (cached) return cached;
    const { isCertain, ...found } = this.#findForm(text);
    if (isCertain) this.#otherFormats.set(text, found);
    return found;
  }

  #findForm(given: string): { saved: SavedText | undefined; text: string; isCertain: boolean } {
    try {
      const text = shortest(given);
      const { saved, isCertain } = this.#store.byForm(text);
      return { saved, text: saved ? text : "", isCertain: isCertain || saved !== undefined };
    } catch {
      return { saved: undefined, text: "", isCertain: true }; // not a document
    }
  }
}

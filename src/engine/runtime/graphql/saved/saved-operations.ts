/**
 * Stores all saved operations, those of this service and those in the manifests of apps, and finds them by id or text. The ids of
 * this service's operations are digests, one for each text that clients make of the operation. The ids of an app's operations are
 * in its manifest. If several operations claim an id, it goes to this service, or else to the app that already has it, or else to
 * the first app in the order of `OPERATIONS_FROM`.
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

/** Building the store pauses for requests every `sliceMs`. */
const sliceMs = 5;

/** Maximum characters of saved texts that one request converts to their shortest forms. 10,000 take about 3 ms. */
const formCharacters = { ofAll: 50_000, ofApp: 10_000 };

type App = string | undefined;

/** The operation that an id belongs to, and the apps that claim the id, in the order of their claims. */
type Identified = { readonly saved: SavedText; readonly holders: Set<App> };

type Claim = { readonly owner: OperationName & { readonly app: string }; readonly text: string };

class Store {
  readonly byId = new Map<string, Identified>();
  readonly byText = new Map<string, SavedText>();
  /** Maps digests of shortest forms to operations. An operation has several shortest forms (`formsOf`). */
  readonly #byForm = new Map<string, SavedText>();
  /** Texts without computed shortest forms, by operation name and then by app. */
  readonly #withoutForms = new Map<string, Map<App, SavedText[]>>();

  /** Adds a saved operation. Returns `false`, and adds nothing, if the id already belongs to another text. */
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
   * Returns the operation with the given shortest form. One call computes the forms of only a few texts with the same operation
   * name. `isCertain` is false while other texts remain.
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
      if (texts.length > 0) ofName?.set(app, texts); // moves the app behind the others
    }
    return { saved: this.#byForm.get(key), isCertain: ofName === undefined || ofName.size === 0 };
  }

  /** Computes the shortest forms of an operation. Returns the number of characters of its text. */
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
  /** Maps a client's text, if it is not saved verbatim, to its shortest form and the saved operation of that form. */
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

  /** Replaces the operations of all apps at once. Returns the refused operations. Calls must not overlap. */
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

  get all(): Iterable<SavedText> {
    return this.#store.byText.values();
  }

  /** Whether an app of this name has a manifest. The name comes from a client, so it may be invented. */
  isApp(name: string): boolean {
    return this.#apps.has(name);
  }

  /** Finds an operation by its id, in any notation that clients use (`normalizeId`). */
  byId(id: string): SavedText | undefined {
    return this.#store.byId.get(normalizeId(id))?.saved;
  }

  byText(text: string): SavedText | undefined {
    return this.#store.byText.get(text);
  }

  /** Finds the saved operation that differs from the client's text only in format. Also returns the text to execute. */
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
      return { saved: undefined, text: "", isCertain: true }; // the text is not a GraphQL document
    }
  }
}

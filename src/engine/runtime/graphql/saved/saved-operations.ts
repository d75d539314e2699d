/**
 * The one store of saved operations: those of this service and those of the apps' manifests. It finds an operation by an id
 * or by its text.
 * Each operation of the service has a digest for each text that clients make of it. The ids of an app are those of its
 * manifest. An id has one text: the service comes first, then the app that serves it already, then the apps in the order of
 * `OPERATIONS_FROM`.
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

/** Requests are served at least this often while the store is built. */
const sliceMs = 5;

/** The characters of texts whose forms are computed for one request, of all apps and of one: 10,000 take some 3 ms. */
const formCharacters = { ofAll: 50_000, ofApp: 10_000 };

type App = string | undefined;

/** An id's operation, and the apps that have the id, in the order of their claims. */
type Identified = { readonly saved: SavedText; readonly holders: Set<App> };

type Claim = { readonly owner: OperationName & { readonly app: string }; readonly text: string };

class Store {
  readonly byId = new Map<string, Identified>();
  readonly byText = new Map<string, SavedText>();
  /** By the digest of a form. */
  readonly #byForm = new Map<string, SavedText>();
  /** Texts without computed forms: by the operation's name, because two apps may have operations of one name, and by app. */
  readonly #withoutForms = new Map<string, Map<App, SavedText[]>>();

  /** Returns `false` for an id that has another text. */
  add(text: string, id: string, owner: OperationName): boolean {
    const known = this.byId.get(id);
    if (known && known.saved.text !== text && !identifiesText(id)) return false;
    const saved = known?.saved ?? this.byText.get(text) ?? this.#addText(text, owner);
    if (known) known.holders.add(owner.app);
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
   * The operation of a text in its shortest form, and whether it is certain that there is no other: of many
   * texts with the operation's name, a call computes the forms of a few.
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
      if (texts.length > 0) ofName?.set(app, texts); // behind the other apps
    }
    return { saved: this.#byForm.get(key), isCertain: ofName === undefined || ofName.size === 0 };
  }

  /** Returns the characters that were read. */
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
  /** The texts of clients that are no saved text letter by letter, with the same operation in its shortest form. */
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
   * Takes the operations of the apps in place of those before, all at once when the new store is complete. Returns those that
   * it does not take. A second call must wait for the first one's end.
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

  /** Every text once. */
  get all(): Iterable<SavedText> {
    return this.#store.byText.values();
  }

  /** Whether a manifest is this app's: clients may give any name. */
  isApp(name: string): boolean {
    return this.#apps.has(name);
  }

  /** In any of the id's spellings. */
  byId(id: string): SavedText | undefined {
    return this.#store.byId.get(normalizeId(id))?.saved;
  }

  byText(text: string): SavedText | undefined {
    return this.#store.byText.get(text);
  }

  /** The operation of a text in another format, and the text to run. */
  inOtherFormat(text: string): { readonly saved: SavedText | undefined; readonly text: string } {
    const known = this.#otherFormats.get(text);
    if (known) return known;
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

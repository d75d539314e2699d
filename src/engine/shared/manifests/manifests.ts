/**
 * Reads the manifests of all places, and reads again what has changed. A manifest that cannot be read keeps its last good
 * state. A file that is gone from its folder is gone; several files of one app serve side by side, so the ids of an older
 * version stay until its file is removed. Each place is read by itself, so a slow one delays no other.
 */
import { hash } from "node:crypto";
import { opendirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { boundedText } from "../bounded-text.ts";
import { readRegularFile } from "../regular-file.ts";
import { shownUrl, withShownUrls } from "../shown-url.ts";
import { Slices } from "../slices.ts";
import { type ManifestContent, ofManifest, readManifestText } from "./manifest-formats.ts";
import { isAppName, isHttpUrl, type ManifestLocation } from "./manifest-locations.ts";

/** Bounds of one app's manifests in one folder. */
const ofApp = { manifests: 100, operations: 20_000, bytes: 16_777_216 };
/**
 * Bounds of all manifests. What serves is never pushed out. Of what is new, the smallest apps come first, so at a start an app
 * that holds no more than an equal part always serves.
 */
const ofAll = { manifests: 1_000, operations: 50_000, bytes: 67_108_864 };

/** Entries of a folder, of whatever kind: listing a folder takes time too. */
const entries = { ofApp: 1_000, ofApps: 2_000 };

const timeoutMs = 5_000;

/** The part of `fetch` that is needed: a role gives one with its own lookup of names. */
export type Fetch = (
  url: string,
  init: { headers: Record<string, string>; signal: AbortSignal; redirect: "error" },
) => Promise<
  Pick<Response, "status" | "ok" | "headers"> & {
    readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null;
  }
>;

/**
 * While manifests are read, requests get a turn about so often; decoding 8 MiB takes up to 15 ms. After the start they have
 * half of the processor.
 */
const sliceMs = 5;

export type Manifest = ManifestContent & {
  readonly app: string;
  /** The file, or the URL without what may be a secret. */
  readonly source: string;
  readonly bytes: number;
};

/** A manifest that cannot be read. `app` is empty for a folder of apps. `keeps`: its last good state serves on. */
export type ManifestFault = {
  readonly app: string;
  readonly source: string;
  readonly reason: string;
  readonly keeps: boolean;
};

export type ManifestState = {
  readonly manifests: readonly Manifest[];
  readonly faults: readonly ManifestFault[];
};

export class Manifests {
  readonly #places: readonly Place[];
  readonly #atStart = new Slices(sliceMs);
  readonly #later = new Slices(sliceMs, sliceMs);
  /** By their sources. */
  #served: ReadonlyMap<string, Manifest> = new Map();

  constructor(places: readonly ManifestLocation[], fetchUrl: Fetch = fetch) {
    const queue = new ReadingQueue();
    this.#places = places.map((place) =>
      isHttpUrl(place.at) ? new UrlPlace(place, queue, fetchUrl) : new PathPlace(place, queue),
    );
  }

  /** The folders of the files, for a watcher. */
  get folders(): readonly string[] {
    return [...new Set(this.#places.flatMap((place) => place.folders))];
  }

  /** Reads what has changed. What cannot be read is a fault, and throws nothing. */
  async refresh(): Promise<ManifestState> {
    await Promise.all(this.#places.map((place) => place.read(this.#atStart)));
    return this.#withinBounds();
  }

  /** Reads what has changed, of `files` alone or of all places, and calls back after each place. */
  refreshEach(took: (state: ManifestState) => void, only: "files" | "all"): void {
    for (const place of this.#places)
      if (only === "all" || place instanceof PathPlace)
        void place.read(this.#later).then(() => took(this.#withinBounds()));
  }

  /** What was read last. A manifest that would take all beyond their bounds leaves the one in place that it would replace. */
  #withinBounds(): ManifestState {
    const read = new Map<string, Manifest>(
      this.#places.flatMap(({ readings }, place) =>
        readings.flatMap(({ source, reading: { manifest } }) =>
          manifest ? [[`${place} ${source.at}`, manifest] as const] : [],
        ),
      ),
    );
    const faults = this.#places.flatMap((place) => place.faults);
    const served = new Map([...this.#served].filter(([key]) => read.has(key)));
    const byApp = Map.groupBy(read.values(), ({ app }) => app);
    const partOfApp = new Map([...byApp].map(([app, of]) => [app, partOf(of)]));
    const changed = [...read].filter(([key, manifest]) => served.get(key) !== manifest);
    const order = ([key, manifest]: (typeof changed)[number]): number => {
      const last = served.get(key);
      const makesRoom = last !== undefined && partOf([manifest]) <= partOf([last]);
      return makesRoom ? 0 : (partOfApp.get(manifest.app) ?? 0);
    };
    for (const [key, manifest] of changed.sort((a, b) => order(a) - order(b))) {
      const last = served.get(key);
      served.set(key, manifest);
      if (partOf([...served.values()]) <= 1) continue;
      if (last) served.set(key, last);
      else served.delete(key);
      const { app, source } = manifest;
      faults.push({ app, source, reason: beyondAll, keeps: last !== undefined });
    }
    this.#served = served;
    return { manifests: [...read.keys()].flatMap((key) => served.get(key) ?? []), faults };
  }
}

const beyondAll = `is over the bounds of all manifests: ${ofAll.manifests} of them, ${ofAll.operations} operations, ${ofAll.bytes / 1_048_576} MiB`;

/** Reads one manifest after the other: the slices of several at once would leave no gap for requests. */
class ReadingQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

/** A manifest's file or URL. */
type Source = { readonly app: string; readonly at: string };

/** A source as it was read last. */
type Reading = {
  /** Tells whether the source has changed: a file's times and size, a URL's ETag or the digest of its text. */
  readonly stamp?: string;
  /** The last good state. */
  readonly manifest?: Manifest | undefined;
  /** Why the present state does not serve. */
  readonly reason?: string;
};

type SourceReading = { readonly source: Source; readonly reading: Reading };

async function parsed(
  { app, at }: Source,
  last: Reading,
  { text, stamp }: { readonly text: string; readonly stamp: string },
  slices: Slices,
): Promise<Reading> {
  try {
    const content = await readManifestText(text, slices);
    return { stamp, manifest: { ...content, app, source: shownUrl(at), bytes: text.length } };
  } catch (error) {
    return { stamp, manifest: last.manifest, reason: reasonOf(error) };
  }
}

/** An entry of `OPERATIONS_FROM`. */
abstract class Place {
  protected readonly place: ManifestLocation;
  protected readonly queue: ReadingQueue;
  #last = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(place: ManifestLocation, queue: ReadingQueue) {
    this.place = place;
    this.queue = queue;
  }

  abstract readonly readings: readonly SourceReading[];
  abstract readonly faults: readonly ManifestFault[];
  abstract readonly folders: readonly string[];
  protected abstract readNow(slices: Slices): Promise<void>;

  /** Reads what has changed, after the reading under way. Callers that wait for it share the next one. */
  read(slices: Slices): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return this.readNow(slices);
    });
    this.#last = this.#next;
    return this.#next;
  }
}

class UrlPlace extends Place {
  readonly folders = [];
  readonly #fetch: Fetch;
  #reading: Reading = {};

  constructor(place: ManifestLocation, queue: ReadingQueue, fetchUrl: Fetch) {
    super(place, queue);
    this.#fetch = fetchUrl;
  }

  get readings(): readonly SourceReading[] {
    return [{ source: this.#source, reading: this.#reading }];
  }

  get faults(): readonly ManifestFault[] {
    return faultsOf(this.#source, this.#reading);
  }

  get #source(): Source {
    return { app: this.place.app ?? "", at: this.place.at };
  }

  protected async readNow(slices: Slices): Promise<void> {
    const last = this.#reading;
    try {
      const answer = await fetchText(this.#fetch, this.place.at, last.stamp);
      if (answer.stamp === last.stamp) return;
      this.#reading = await this.queue.run(() => parsed(this.#source, last, answer, slices));
    } catch (error) {
      // asked for in full the next time: the answer to the last stamp may be "not modified"
      this.#reading = { manifest: last.manifest, reason: reasonOf(error) };
    }
  }
}

/** A file, or a folder of files. */
class PathPlace extends Place {
  /** The entries of each folder as it was listed last. */
  #listings = new Map<string, Listing>();
  /** The sources in their order, and what was read of them. */
  #readings = new Map<string, SourceReading>();
  #folderFaults: readonly ManifestFault[] = [];

  get readings(): readonly SourceReading[] {
    return [...this.#readings.values()];
  }

  get faults(): readonly ManifestFault[] {
    const ofFiles = this.readings.flatMap(({ source, reading }) => faultsOf(source, reading));
    return [...this.#folderFaults, ...ofFiles];
  }

  get folders(): readonly string[] {
    const { at } = this.place;
    if (!isFolder(at)) return [dirname(at)].filter(isFolder);
    try {
      return [at, ...listingOf(at, entries.ofApps).folders];
    } catch {
      return [at];
    }
  }

  protected readNow(slices: Slices): Promise<void> {
    return this.queue.run(async () => {
      const faults: ManifestFault[] = [];
      const read = new Map<Source, Reading>();
      const sources = await this.#list(faults, slices);
      for (const [app, of] of Map.groupBy(sources, (source) => source.app))
        for (const [source, reading] of await this.#readApp(app, of, faults, slices))
          read.set(source, reading);
      this.#readings = new Map(
        sources.flatMap((source) => {
          const reading = read.get(source);
          return reading ? [[source.at, { source, reading }] as const] : [];
        }),
      );
      this.#folderFaults = faults;
    });
  }

  /** Reads an app's manifests as far as its bounds go: first those that serve, so that a new one pushes out none of them. */
  async #readApp(
    app: string,
    sources: readonly Source[],
    faults: ManifestFault[],
    slices: Slices,
  ): Promise<Map<Source, Reading>> {
    const lastOf = ({ at }: Source): Reading => this.#readings.get(at)?.reading ?? {};
    const [serving, others] = partition(sources, (source) => lastOf(source).manifest !== undefined);
    const chosen = [...serving, ...others].slice(0, ofApp.manifests);
    if (chosen.length < sources.length)
      faults.push({
        app,
        source: this.place.at,
        keeps: false,
        reason: `has ${sources.length} manifests; at most ${ofApp.manifests} of an app are read`,
      });
    const readings = new Map(chosen.map((source) => [source, lastOf(source)]));
    for (const source of chosen) {
      const rest = [...readings].flatMap(([other, { manifest }]) =>
        manifest && other !== source ? manifest : [],
      );
      if (slices.isOver) await slices.next();
      readings.set(source, await readFile(source, lastOf(source), totalsOf(rest), slices));
    }
    return readings;
  }

  /** The files of the place. A folder that cannot be listed keeps the files that it had. */
  async #list(faults: ManifestFault[], slices: Slices): Promise<readonly Source[]> {
    const { app, at } = this.place;
    if (app !== undefined && !isFolder(at) && !this.#listings.has(at)) return [{ app, at }];
    const before = this.#listings;
    this.#listings = new Map();
    const list = (folder: string, most: number, of: string): Listing => {
      let listing = before.get(folder);
      try {
        listing = listingOf(folder, most);
      } catch (error) {
        faults.push({ app: of, source: folder, reason: reasonOf(error), keeps: listing !== undefined });
      }
      if (listing) this.#listings.set(folder, listing);
      return listing ?? { files: [], folders: [] };
    };
    const { files, folders } = list(at, entries.ofApps, app ?? "");
    const sources = files.map((file) => ({ app: app ?? basename(file, ".json"), at: file }));
    for (const folder of folders) {
      if (slices.isOver) await slices.next();
      const of = app ?? basename(folder);
      for (const file of list(folder, entries.ofApp, of).files) sources.push({ app: of, at: file });
    }
    return sources.filter((source) => isAppName(source.app));
  }
}

/** `rest`: what its app has beside it. */
async function readFile(source: Source, last: Reading, rest: Totals, slices: Slices): Promise<Reading> {
  const beyond = {
    manifest: last.manifest,
    reason: `is over the bounds of its app: ${ofApp.operations} operations, ${ofApp.bytes / 1_048_576} MiB`,
  };
  try {
    const { mtimeMs, ctimeMs, size, ino } = statSync(source.at);
    const stamp = [mtimeMs, ctimeMs, size, ino].join();
    if (stamp === last.stamp) return last;
    if (rest.bytes + size > ofApp.bytes && size <= ofManifest.bytes) return beyond;
    const text = readRegularFile(source.at, ofManifest.bytes);
    const reading = await parsed(source, last, { text, stamp }, slices);
    const operations = reading.manifest?.operations.length ?? 0;
    return rest.operations + operations > ofApp.operations ? beyond : reading;
  } catch (error) {
    return { manifest: last.manifest, reason: reasonOf(error) };
  }
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

const faultsOf = ({ app, at }: Source, { manifest, reason }: Reading): ManifestFault[] =>
  reason === undefined ? [] : [{ app, source: shownUrl(at), reason, keeps: manifest !== undefined }];

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // not there, or out of reach: reading it tells
  }
}

/** The files `<app>.json` and the folders `<app>/`, sorted. A ConfigMap's files are links, and its hidden folders their targets. */
type Listing = { readonly files: readonly string[]; readonly folders: readonly string[] };

function listingOf(folder: string, most: number): Listing {
  const names: string[] = [];
  const listed = opendirSync(folder);
  try {
    for (let entry = listed.readSync(); entry; entry = listed.readSync()) {
      if (names.length === most) throw new Error(`has more than ${most} entries`);
      names.push(entry.name);
    }
  } finally {
    listed.closeSync();
  }
  const at = (name: string): string => join(folder, name);
  names.sort();
  return {
    files: names.filter((name) => /^[^.].*\.json$/.test(name)).map(at),
    folders: names.filter(isAppName).map(at).filter(isFolder),
  };
}

/** A conditional GET (RFC 9110 §13.1.2). A text without an ETag has its digest for a stamp. */
async function fetchText(
  fetchUrl: Fetch,
  at: string,
  last: string | undefined,
): Promise<{ text: string; stamp: string }> {
  const url = new URL(at);
  const { username, password } = url;
  url.username = "";
  url.password = ""; // fetch refuses a URL with them
  const response = await fetchUrl(url.href, {
    headers: {
      accept: "application/json",
      ...(last !== undefined && !last.startsWith(digestPrefix) && { "if-none-match": last }),
      ...(username + password !== "" && { authorization: basicCredentials(username, password) }),
    },
    signal: AbortSignal.timeout(timeoutMs),
    redirect: "error",
  });
  if (response.status === 304 && last !== undefined) return { text: "", stamp: last };
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`answers ${response.status}`);
  }
  const text = await boundedText(response.body ?? [], ofManifest.bytes);
  return { text, stamp: response.headers.get("etag") ?? digestPrefix + hash("sha256", text) };
}

/** RFC 7617 §2, of the parts of a URL. */
const basicCredentials = (username: string, password: string): string =>
  `Basic ${Buffer.from([username, password].map(decodeURIComponent).join(":")).toString("base64")}`;

/** An ETag begins with a quote, or with `W/`. */
const digestPrefix = "digest ";

/** Without the text of a manifest, and without what is secret in a URL. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "is no JSON";
  const { code, message, cause } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "is not there";
  return withShownUrls(cause instanceof Error ? cause.message : (code ?? message));
}

type Totals = { readonly manifests: number; readonly operations: number; readonly bytes: number };

function totalsOf(manifests: readonly Manifest[]): Totals {
  const sum = (of: (manifest: Manifest) => number): number =>
    manifests.reduce((total, manifest) => total + of(manifest), 0);
  return {
    manifests: manifests.length,
    operations: sum(({ operations }) => operations.length),
    bytes: sum(({ bytes }) => bytes),
  };
}

/** The part of the bounds of all that the manifests take; of the bound that they take most of. */
function partOf(taken: readonly Manifest[]): number {
  const { manifests, operations, bytes } = totalsOf(taken);
  return Math.max(manifests / ofAll.manifests, operations / ofAll.operations, bytes / ofAll.bytes);
}

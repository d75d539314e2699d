/**
 * Reads the manifests of all locations, and re-reads those that have changed. If a manifest cannot be read, its last valid
 * content is still served. If a file was deleted from its folder, its operations are no longer served. The operations of all
 * files of an app are served at the same time, so those of an older app version stay available until that version's file is
 * removed. Locations are read independently, so a slow one does not delay the others.
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

/** Limits of one app's manifests in one folder. */
const ofApp = { manifests: 100, operations: 20_000, bytes: 16_777_216 };
/**
 * Limits of all manifests together. A new manifest never displaces a served one. Of the new manifests, those of small apps are
 * admitted first, so that at the start every app within an equal share of the limits is served.
 */
const ofAll = { manifests: 1_000, operations: 50_000, bytes: 67_108_864 };

/** Maximum number of a folder's entries, because listing a folder takes time. */
const entries = { ofApp: 1_000, ofApps: 2_000 };

const timeoutMs = 5_000;

/** The subset of `fetch` used here; roles pass a function with their own DNS lookup. */
export type Fetch = (
  url: string,
  init: { headers: Record<string, string>; signal: AbortSignal; redirect: "error" },
) => Promise<
  Pick<Response, "status" | "ok" | "headers"> & {
    readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null;
  }
>;

/**
 * Time slice in ms for reading manifests between requests. Only decoding 8 MiB takes longer, up to 15 ms. After the start, each
 * slice is followed by an equally long pause, so that requests get at least half of the CPU time.
 */
const sliceMs = 5;

export type Manifest = ManifestContent & {
  readonly app: string;
  /** The file, or the URL without parts that may be secret. */
  readonly source: string;
  readonly bytes: number;
};

/** A manifest that cannot be read. `app` is empty for a folder of apps. `keeps`: whether its last state is served. */
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
  readonly #locations: readonly Location[];
  readonly #atStart = new Slices(sliceMs);
  readonly #later = new Slices(sliceMs, sliceMs);
  /** The served manifests, by their sources. */
  #served: ReadonlyMap<string, Manifest> = new Map();

  constructor(locations: readonly ManifestLocation[], fetchUrl: Fetch = fetch) {
    const queue = new ReadingQueue();
    this.#locations = locations.map((place) =>
      isHttpUrl(place.at) ? new UrlLocation(place, queue, fetchUrl) : new PathLocation(place, queue),
    );
  }

  /** The folders that contain manifest files, which a watcher observes. */
  get folders(): readonly string[] {
    return [...new Set(this.#locations.flatMap((place) => place.folders))];
  }

  /** Reads the manifests that have changed. Never rejects: unreadable manifests are listed as faults. */
  async refresh(): Promise<ManifestState> {
    await Promise.all(this.#locations.map((place) => place.read(this.#atStart)));
    return this.#withinBounds();
  }

  /** Reads the manifests that have changed, in files only or in all locations, and calls `onState` after each location. */
  refreshEach(onState: (state: ManifestState) => void, only: "files" | "all"): void {
    for (const place of this.#locations)
      if (only === "all" || place instanceof PathLocation)
        void place.read(this.#later).then(() => onState(this.#withinBounds()));
  }

  /** A manifest that would exceed the limits is not served; the version that it would replace is kept. */
  #withinBounds(): ManifestState {
    const read = new Map<string, Manifest>(
      this.#locations.flatMap(({ readings }, place) =>
        readings.flatMap(({ source, reading: { manifest } }) =>
          manifest ? [[`${place} ${source.at}`, manifest] as const] : [],
        ),
      ),
    );
    const faults = this.#locations.flatMap((place) => place.faults);
    const served = new Map([...this.#served].filter(([key]) => read.has(key)));
    const byApp = Map.groupBy(read.values(), ({ app }) => app);
    const shareOfApp = new Map([...byApp].map(([app, of]) => [app, shareOf(of)]));
    const changed = [...read].filter(([key, manifest]) => served.get(key) !== manifest);
    const order = ([key, manifest]: (typeof changed)[number]): number => {
      const last = served.get(key);
      const makesRoom = last !== undefined && shareOf([manifest]) <= shareOf([last]);
      return makesRoom ? 0 : (shareOfApp.get(manifest.app) ?? 0);
    };
    for (const [key, manifest] of changed.sort((a, b) => order(a) - order(b))) {
      const last = served.get(key);
      served.set(key, manifest);
      if (shareOf([...served.values()]) <= 1) continue;
      if (last) served.set(key, last);
      else served.delete(key);
      const { app, source } = manifest;
      faults.push({ app, source, reason: overTotalLimits, keeps: last !== undefined });
    }
    this.#served = served;
    return { manifests: [...read.keys()].flatMap((key) => served.get(key) ?? []), faults };
  }
}

const overTotalLimits = `exceeds the limits of all manifests: ${ofAll.manifests} manifests, ${ofAll.operations} operations, ${ofAll.bytes / 1_048_576} MiB`;

/** Reads manifests one at a time, because concurrent reads would fill the pauses that are meant for requests. */
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

type Reading = {
  /** Changes when the source changes: a file's times and size, a URL's ETag or the digest of its text. */
  readonly stamp?: string;
  /** The last valid manifest. */
  readonly manifest?: Manifest | undefined;
  /** Why the current content is not served. */
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
abstract class Location {
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

  /** Waits for a read in progress, then reads the manifests that have changed. Concurrent callers share this next read. */
  read(slices: Slices): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined;
      return this.readNow(slices);
    });
    this.#last = this.#next;
    return this.#next;
  }
}

class UrlLocation extends Location {
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
      // the stamp is omitted, so that the next request gets a complete response instead of a 304
      this.#reading = { manifest: last.manifest, reason: reasonOf(error) };
    }
  }
}

/** A file, or a folder of files. */
class PathLocation extends Location {
  /** The files and folders that the last successful listing of each folder found. */
  #listings = new Map<string, Listing>();
  /** The result of the last reading of each file, by the file's path. */
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

  /** Reads an app's manifests up to its limits. Served ones come first, so new ones cannot displace them. */
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
        reason: `has ${sources.length} manifests; at most ${ofApp.manifests} per app are read`,
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

  /** Lists the manifest files. If a folder cannot be listed, uses its last listing. */
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

/** Reads a file if it has changed. `rest`: the totals of the app's other manifests, which count towards the limits of the app. */
async function readFile(source: Source, last: Reading, rest: Totals, slices: Slices): Promise<Reading> {
  const overAppLimits = {
    manifest: last.manifest,
    reason: `exceeds the limits of its app: ${ofApp.operations} operations, ${ofApp.bytes / 1_048_576} MiB`,
  };
  try {
    const { mtimeMs, ctimeMs, size, ino } = statSync(source.at);
    const stamp = [mtimeMs, ctimeMs, size, ino].join();
    if (stamp === last.stamp) return last;
    if (rest.bytes + size > ofApp.bytes && size <= ofManifest.bytes) return overAppLimits;
    const text = readRegularFile(source.at, ofManifest.bytes);
    const reading = await parsed(source, last, { text, stamp }, slices);
    const operations = reading.manifest?.operations.length ?? 0;
    return rest.operations + operations > ofApp.operations ? overAppLimits : reading;
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
    return false; // the file is missing or inaccessible; reading it reports the reason
  }
}

/** The sorted files `<app>.json` and folders `<app>/`. A Kubernetes ConfigMap's hidden copies of its files are skipped. */
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

/** A conditional GET (RFC 9110 §13.1.2). Without an ETag, the text's digest is the stamp. */
async function fetchText(
  fetchUrl: Fetch,
  at: string,
  last: string | undefined,
): Promise<{ text: string; stamp: string }> {
  const url = new URL(at);
  const { username, password } = url;
  url.username = "";
  url.password = ""; // fetch rejects URLs with credentials
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

/** Basic authentication (RFC 7617 §2) from the user information of a URL. */
const basicCredentials = (username: string, password: string): string =>
  `Basic ${Buffer.from([username, password].map(decodeURIComponent).join(":")).toString("base64")}`;

/** The prefix of a stamp that is a digest. An ETag begins with a quote or `W/`, so it cannot have this prefix. */
const digestPrefix = "digest ";

/** Returns the reason of an error. It contains no text of the manifest, and no part of a URL that may be secret. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "is not valid JSON";
  const { code, message, cause } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "does not exist";
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

/** The fraction of the total limits that the manifests use: the highest of manifests, operations and bytes. */
function shareOf(taken: readonly Manifest[]): number {
  const { manifests, operations, bytes } = totalsOf(taken);
  return Math.max(manifests / ofAll.manifests, operations / ofAll.operations, bytes / ofAll.bytes);
}

/**
 * Reads the manifests of all places, and reads again what has changed. A manifest that cannot be read keeps its last good
 * state. A file that is gone from its folder is gone; several files of one app serve side by side, so the ids of an older
 * version stay until its file is removed.
 */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { boundedText } from "../standards/bounded-text.ts";
import { readRegularFile } from "../standards/regular-file.ts";
import { shownUrl, withShownUrls } from "../standards/shown-url.ts";
import { type ManifestOperation, readManifestText } from "./formats.ts";
import { isAppName, isHttpUrl, type ManifestPlace } from "./places.ts";

/** Bounds of all manifests together and of one: 200 apps with 250 operations are 50,000. */
const most = {
  manifests: 1_000,
  operations: 50_000,
  ofOne: 10_000,
  bytesOfOne: 8_388_608,
  bytes: 67_108_864,
};

const timeoutMs = 5_000;

export type Manifest = {
  readonly app: string;
  /** The file, or the URL without what may be a secret. */
  readonly source: string;
  readonly bytes: number;
  readonly operations: readonly ManifestOperation[];
};

/** A manifest that cannot be read. `keeps`: its last good state serves on. */
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

/** A manifest as it was read last. `stamp` tells whether it has changed: a file's times and size, or a URL's ETag. */
type Known = { readonly stamp: string; readonly at: string; readonly manifest: Manifest };

type Source = { readonly app: string; readonly at: string };

export class Manifests {
  readonly #places: readonly ManifestPlace[];
  #known = new Map<string, Known>();
  /** The files of each folder as it was read last. */
  readonly #listed = new Map<string, readonly Source[]>();

  constructor(places: readonly ManifestPlace[]) {
    this.#places = places;
  }

  /** The folders of the files, for a watcher. */
  get folders(): readonly string[] {
    const folders = this.#places.flatMap(({ at }) => {
      if (isHttpUrl(at)) return [];
      return isFolder(at) ? [at, ...appFoldersOf(at)] : [dirname(at)].filter(isFolder);
    });
    return [...new Set(folders)];
  }

  /** Reads what has changed. What cannot be read is a fault, and throws nothing. */
  async refresh(): Promise<ManifestState> {
    const faults: ManifestFault[] = [];
    const sources = this.#places.flatMap((place) => this.#sourcesOf(place, faults));
    const read = await Promise.all(sources.map((source) => this.#read(source, faults)));
    const kept = withinBounds(read, faults);
    this.#known = new Map(kept.map((known) => [keyOf(known.manifest.app, known.at), known]));
    return { manifests: kept.map(({ manifest }) => manifest), faults };
  }

  #sourcesOf({ app, at }: ManifestPlace, faults: ManifestFault[]): readonly Source[] {
    if (app !== undefined && (isHttpUrl(at) || !(isFolder(at) || this.#listed.has(at)))) return [{ app, at }];
    try {
      this.#listed.set(at, filesOf(app, at));
    } catch (error) {
      faults.push({ app: app ?? "", source: at, reason: reasonOf(error), keeps: this.#listed.has(at) });
    }
    return this.#listed.get(at) ?? [];
  }

  async #read({ app, at }: Source, faults: ManifestFault[]): Promise<Known | undefined> {
    const known = this.#known.get(keyOf(app, at));
    const source = shownUrl(at);
    try {
      const changed = isHttpUrl(at) ? await fetchText(at, known?.stamp) : readFile(at, known?.stamp);
      if (!changed) return known;
      const { text, stamp } = changed;
      const operations = readManifestText(text, most.ofOne);
      return { at, stamp, manifest: { app, source, bytes: text.length, operations } };
    } catch (error) {
      faults.push({ app, source, reason: reasonOf(error), keeps: known !== undefined });
      return known;
    }
  }
}

const keyOf = (app: string, at: string): string => `${app}=${at}`;

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const appFoldersOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter(isAppName)
    .sort()
    .map((name) => join(folder, name))
    .filter(isFolder);

/** `<app>.json` and `<app>/*.json`. A ConfigMap's files are links, and its hidden folders their targets. */
function filesOf(given: string | undefined, folder: string): Source[] {
  const jsonFiles = (of: string) =>
    readdirSync(of)
      .filter((name) => /^[^.].*\.json$/.test(name))
      .sort();
  const direct = jsonFiles(folder).map((name) => ({
    app: name.slice(0, -".json".length),
    at: join(folder, name),
  }));
  const below = appFoldersOf(folder).flatMap((of) =>
    jsonFiles(of).map((name) => ({ app: basename(of), at: join(of, name) })),
  );
  return [...direct, ...below].flatMap(({ app, at }) =>
    given !== undefined ? { app: given, at } : isAppName(app) ? { app, at } : [],
  );
}

type Changed = { readonly text: string; readonly stamp: string } | undefined;

function readFile(path: string, stamp: string | undefined): Changed {
  const { mtimeMs, ctimeMs, size, ino } = statSync(path);
  const now = [mtimeMs, ctimeMs, size, ino].join();
  return now === stamp ? undefined : { text: readRegularFile(path, most.bytesOfOne), stamp: now };
}

/** A conditional GET (RFC 9110 §13.1.2). Without an ETag the whole is read each time. */
async function fetchText(url: string, etag: string | undefined): Promise<Changed> {
  const { username, password } = new URL(url);
  const asked = new URL(url);
  [asked.username, asked.password] = ["", ""];
  // fetch refuses a URL with them
  const authorization = username + password === "" ? undefined : basicCredentials(username, password);
  const response = await fetch(asked, {
    headers: {
      accept: "application/json",
      ...(etag && { "if-none-match": etag }),
      ...(authorization && { authorization }),
    },
    signal: AbortSignal.timeout(timeoutMs),
    redirect: "error",
  });
  if (response.status === 304) return undefined;
  if (!response.ok) throw new Error(`answers ${response.status}`);
  const text = await boundedText(response.body ?? [], most.bytesOfOne);
  return { text, stamp: response.headers.get("etag") ?? "" };
}

/** RFC 7617 §2, of the parts of a URL. */
const basicCredentials = (username: string, password: string): string =>
  `Basic ${Buffer.from([username, password].map(decodeURIComponent).join(":")).toString("base64")}`;

/** Without the text of a manifest, and without what is secret in a URL. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "is no JSON";
  const { code, message, cause } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "is not there";
  return withShownUrls(cause instanceof Error ? cause.message : (code ?? message));
}

/** The manifests, in their order, as far as their sum is within the bounds. */
function withinBounds(read: readonly (Known | undefined)[], faults: ManifestFault[]): Known[] {
  const sum = { manifests: 0, operations: 0, bytes: 0 };
  return read.flatMap((known) => {
    if (!known) return [];
    const { app, source, bytes, operations } = known.manifest;
    const isTooMuch =
      sum.manifests === most.manifests ||
      sum.operations + operations.length > most.operations ||
      sum.bytes + bytes > most.bytes;
    if (isTooMuch) {
      const reason = `is over the bounds of all manifests: ${most.manifests} of them, ${most.operations} operations, ${most.bytes / 1_048_576} MiB`;
      faults.push({ app, source, reason, keeps: false });
      return [];
    }
    sum.manifests++;
    sum.operations += operations.length;
    sum.bytes += bytes;
    return [known];
  });
}

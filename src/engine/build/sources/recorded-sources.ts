/**
 * Reads and writes the source of each OpenAPI document. `restbound.sources` in `package.json` has its URL or path, and
 * `restbound.lock.json` the ETag and digest of the fetched text.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { replaceFile } from "../../shared/cli/replace-files.ts";
import { isRecord, membersOf, parsedJson } from "../../shared/json-object.ts";
import { isHttpUrl } from "../../shared/manifests/manifest-locations.ts";
import { shownUrl } from "../../shared/shown-url.ts";

export const sourcesField = "restbound.sources";

/** File name in `spec/` → URL or path of the document. */
export function readSources(root: string): Map<string, string> {
  const path = join(root, "package.json");
  const manifest = existsSync(path) ? parsedJson(readFileSync(path, "utf8")) : {};
  const sources = membersOf(membersOf(manifest).restbound).sources ?? {};
  if (!isRecord(sources) || !Object.values(sources).every((source) => typeof source === "string"))
    throw new UsageError([`package.json: "${sourcesField}" must be a map of file to URL or path`]);
  return new Map(Object.entries(sources).map(([file, source]) => [file, String(source)]));
}

type FetchedDocument = Omit<LockedDocument, "source"> & {
  /** File name in `spec/`. */
  readonly file: string;
  /** URL or path as the user wrote it. */
  readonly given: string;
};

/**
 * Records the URL or path in the lock file and in `package.json`. `packageJson` is the current text of `package.json`. A URL with
 * a password or a query is not recorded, because either may be a secret.
 */
export function recordSource(
  root: string,
  packageJson: string,
  { file, given, ...fetched }: FetchedDocument,
): void {
  const source = isHttpUrl(given) ? given : relative(root, resolve(root, given));
  const isRecorded = isHttpUrl(given) ? shownUrl(given) === given : !isAbsolute(source);
  const manifest = membersOf(parsedJson(packageJson));
  const restbound = membersOf(manifest.restbound);
  const sources = { ...membersOf(restbound.sources), [file]: source };
  const recorded = `${JSON.stringify({ ...manifest, restbound: { ...restbound, sources } }, null, 2)}\n`;
  replaceFile(join(root, "package.json"), isRecorded ? recorded : packageJson);
  if (isRecorded) lockDocuments(root, new Map([[file, { source, ...fetched }]]));
}

const lockFile = "restbound.lock.json";

export type LockedDocument = {
  readonly source: string;
  readonly etag?: string | undefined;
  /** Digest of the file in `spec/` (`digestOf`). */
  readonly digest: string;
};

/** Returns the SHA-256 digest of `text`. Different line endings give the same digest, because a git checkout may convert them. */
export const digestOf = (text: string): string =>
  `sha256:${createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex")}`;

/**
 * Returns the lock file's entries by file name in `spec/`. Ignores malformed entries. A document without an entry is fetched
 * without an ETag.
 */
export function readLock(root: string): Map<string, LockedDocument> {
  const path = join(root, lockFile);
  const read = existsSync(path) ? membersOf(parsedJson(readFileSync(path, "utf8"))) : {};
  return new Map(
    Object.entries(read).flatMap(([file, entry]) => {
      const { source, etag, digest } = membersOf(entry);
      if (typeof source !== "string" || typeof digest !== "string") return [];
      return [[file, { source, digest, ...(typeof etag === "string" && { etag }) }] as const];
    }),
  );
}

export function lockDocuments(root: string, locked: ReadonlyMap<string, LockedDocument>): void {
  const all = Object.fromEntries([...readLock(root), ...locked]);
  replaceFile(join(root, lockFile), `${JSON.stringify(all, null, 2)}\n`);
}

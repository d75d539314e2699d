/** Reads the OpenAPI document passed to `init`, and the files that it refers to, under their future names in the spec folder. */

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, posix, resolve, sep } from "node:path";
import { parseDocument, stringify } from "yaml";
import type { Io } from "../../shared/cli/command.ts";
import { ExpectedFailure, UsageError, withoutPlace } from "../../shared/cli/command-failure.ts";
import { fetchText } from "../../shared/cli/fetch-text.ts";
import { printable } from "../../shared/cli/printable.ts";
import { isRecord, membersOf } from "../../shared/json-object.ts";
import { isHttpUrl } from "../../shared/manifests/manifest-locations.ts";
import { isForm, isMultipartForm } from "../../shared/media-type.ts";
import { withShownUrls } from "../../shared/shown-url.ts";
import { UnreadableSpec } from "../diagnostic.ts";
import { type ReadFile, RestDocument } from "../openapi/document.ts";
import {
  documentNamed,
  isDocumentName,
  type NamedDocument,
  singleDocumentFile,
} from "../openapi/document-files.ts";
import { serverUrl } from "../openapi/server-url.ts";
import { folderFiles } from "../project/spec-files.ts";
import { digestOf, documentHeaders } from "./sources.ts";

/**
 * File names with a special meaning in a spec folder. A vendor's document that refers to such a name could smuggle in approvals,
 * or operations that the server would run as saved ones. File systems may ignore case, and trailing dots and spaces.
 */
const ownNames =
  /^(?:(?:schema\.graphql|rest-only\.yaml|approvals\.yaml|credentials\.yaml)[. ]*(?:\/|$)|operations[. ]*\/.*\.(?:graphql|gql)[. ]*$)/iu;

/** A document as it was last written, with the ETag that its URL returned. */
export type StoredDocument = { readonly etag: string; readonly text: string };

/**
 * The document under its future name in the spec folder. `files`: texts of its files that have been read so far. `read` reads any
 * file of the document. `stored` is reused if the URL still has its ETag.
 */
export async function readSourceDocument(
  given: string,
  { root, env }: Pick<Io, "root" | "env">,
  name: string | undefined,
  stored?: StoredDocument,
) {
  if (name !== undefined && !isDocumentName(name))
    throw new UsageError([`--name ${name}: a name may only have letters, digits, - and _`]);
  const place = name === undefined ? singleDocumentFile : documentNamed(name);
  const source = isHttpUrl(given) ? undefined : filesBeside(documentPath(given, root), place);
  const { text, etag }: FetchedDocument = source
    ? { text: source(place.file) ?? "" }
    : await fetchDocument(given, documentHeaders(env, name, given), stored);
  const main = await convertSwagger(text);
  const files = new Map<string, string>();
  const read: ReadFile = (file) => (file === place.file ? main : source?.(file));
  const readPart: ReadFile = (file) => {
    const text = read(file);
    if (text !== undefined) files.set(file, text);
    return text;
  };
  const document = await ofDocument(given, () => new RestDocument([place], readPart));
  return { document, files, place, read, fetched: { etag, digest: digestOf(main) } };
}

/** Reads a folder's files by their future names in the spec folder. */
function filesBeside(path: string, { file: main, overlay, name }: NamedDocument): ReadFile {
  const folder = dirname(path);
  const files = folderFiles(folder);
  /** Rejects symbolic links: in a vendor's archive, one could copy a secret of this machine into the project. */
  const read: ReadFile = (file) => {
    const text = files.read(file);
    const isInside = () => realpathSync(join(folder, file)).startsWith(realpathSync(folder) + sep);
    return text === undefined || isInside() ? text : undefined;
  };
  const below = name === undefined ? "" : `${posix.dirname(main)}/`;
  return (file) => {
    if (file === main) return files.read(basename(path));
    if (file === overlay) return read(singleDocumentFile.overlay);
    return file.startsWith(below) ? read(file.slice(below.length)) : undefined;
  };
}

/**
 * Rejects parts of a document whose names have a special meaning in the spec folder. Parts keep their names, because references
 * use them.
 */
export function rejectTakenNames(
  parts: Iterable<string>,
  given: string,
  { name, file, overlay }: NamedDocument,
): void {
  const clashes = (part: string): boolean =>
    name === undefined ? ownNames.test(part) : posix.dirname(part) === posix.dirname(file);
  const taken = [...parts].filter((part) => part !== file && part !== overlay && clashes(part));
  if (taken.length > 0)
    throw new UsageError(
      taken.map(
        (part) =>
          `--openapi ${given}: a $ref names the file ${posix.relative(posix.dirname(file), part)}, which has a special meaning in spec/${name === undefined ? "" : "openapi/"}: give it another name${name === undefined ? "" : ", in a folder"}, there and in the $ref`,
      ),
    );
}

export async function ofDocument<T>(given: string, make: () => T | Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    throw error instanceof UnreadableSpec ? unreadableDocument(error, given) : error;
  }
}

/** Rewrites locations to the name that the user passed, because the files are not in `spec/` yet. */
function unreadableDocument({ failure }: UnreadableSpec, given: string): ExpectedFailure {
  const faults = failure.faults.map(({ message, places }) => {
    const [at] = places.map(
      ({ file, line, column }) =>
        `${file.replace(/^openapi(?:\/[^/]+)?\.yaml$/, () => given)}:${line}:${column}`,
    );
    return withoutPlace(printable(withShownUrls(`${at ?? given}: ${message}`)));
  });
  return new ExpectedFailure(given, { exitCode: failure.exitCode, faults });
}

/**
 * The URL of the document's first server, with the defaults of its variables (OpenAPI 3.1 §4.8.5, §4.8.6); undefined if it is
 * relative. It is written into project files, so any text that is not a plain URL is rejected.
 */
export function firstServerUrl(document: RestDocument, root = document.root): string | undefined {
  const url = serverUrl(document, root);
  return url !== undefined && /^https?:\/\/[\w.:/~-]+$/.test(url) ? url : undefined;
}

/**
 * The base URL to propose to a user who has to set it. A relative server URL is resolved against the URL that the document was
 * fetched from, or against an example. The proposal is only displayed: clients' credentials are sent to the base URL, so the user
 * decides.
 */
export function proposedBaseUrl(document: RestDocument, given: string): string {
  const known = firstServerUrl(document);
  if (known !== undefined) return known;
  const url = serverUrl(document, document.root) ?? "/";
  const isPath = /^[\w./~-]*$/.test(url) && !url.includes("//");
  const at = isHttpUrl(given) ? given : "https://api.example.com/";
  const { origin, pathname } = new URL(isPath ? url : "/", at);
  return /^[\w.:/~-]+$/.test(origin + pathname) ? (origin + pathname).replace(/\/$/, "") : origin;
}

// Converts Swagger 2.0 to OpenAPI 3.0. Schemas are bound to the converted text, and locations refer to it.

/** Returns the text unchanged if it is of another version or not YAML; the document's reader reports both. */
async function convertSwagger(text: string): Promise<string> {
  if (!/swagger["']?\s*:\s*["']?2/.test(text)) return text;
  const { errors, contents } = parseDocument(text);
  const value: unknown = errors.length === 0 ? contents?.toJSON() : undefined;
  if (!isRecord(value) || String(value.swagger) !== "2.0") return text;
  const { upgradeFromTwoToThree } = await import("@scalar/openapi-upgrader/2.0-to-3.0");
  for (const parameter of listParameters(value)) markFormat(parameter);
  const { openapi, ...others } = upgradeFromTwoToThree(value);
  return stringify(
    { openapi, ...membersOf(unmarked(others)) },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

/**
 * Marks the collection format of a list: the upgrader drops formats without an equivalent style in OpenAPI 3.0, so the list would
 * be sent in the default style. The upgrader also ignores that `csv` is the default in a form.
 */
const mark = "x-restbound-collection-format";

/** All array parameters, including shared ones and those of path items (Swagger 2.0, Parameter Object). */
function listParameters(document: Record<string, unknown>): Record<string, unknown>[] {
  const items = Object.values(membersOf(document.paths)).map(membersOf);
  const owners = [...items, ...items.flatMap((item) => Object.values(item).map(membersOf))];
  const own = owners.flatMap(({ parameters }) => (Array.isArray(parameters) ? parameters : []));
  return [...Object.values(membersOf(document.parameters)), ...own].filter(
    (each): each is Record<string, unknown> => isRecord(each) && each.type === "array",
  );
}

/** The formats with an equivalent style in a query, and in a form without files. */
const inQuery: ReadonlySet<unknown> = new Set(["csv", "ssv", "pipes", "multi"]);

function markFormat(parameter: Record<string, unknown>): void {
  const { in: location, collectionFormat: format = "csv" } = parameter;
  const hasStyle = location === "query" ? inQuery.has(format) : format === "csv";
  if (location === "formData") Object.assign(parameter, { collectionFormat: format, [mark]: format });
  else if (!hasStyle) parameter[mark] = format;
}

/**
 * Gives each marked list a media type, as OpenAPI 3.0 allows for parameters and parts of forms. Fields cannot send this media
 * type: an optional list is omitted, and a required one is a finding.
 */
function unmarked(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(unmarked);
  if (!isRecord(node)) return node;
  const { [mark]: format, ...others } = node;
  const copy = Object.fromEntries(
    Object.entries(others).map(([key, value]) => [
      key,
      isForm(key) || isMultipartForm(key) ? unmarkedForm(value, isMultipartForm(key)) : unmarked(value),
    ]),
  );
  if (format === undefined || !("in" in copy)) return copy;
  const { schema, style: _style, explode: _explode, ...rest } = copy;
  return { ...rest, content: { [mediaOf(format)]: { schema } } };
}

/** A multipart form supports only `multi`: one part per item. */
function unmarkedForm(node: unknown, hasParts: boolean): unknown {
  const { encoding, ...form } = membersOf(node);
  const found = Object.entries(membersOf(membersOf(form.schema).properties)).flatMap(([name, property]) => {
    const format = membersOf(property)[mark];
    const isSupported = format === undefined || (hasParts ? format === "multi" : inQuery.has(format));
    return isSupported ? [] : [[name, { contentType: mediaOf(format) }] as const];
  });
  const all = { ...membersOf(encoding), ...Object.fromEntries(found) };
  return { ...membersOf(unmarked(form)), ...(Object.keys(all).length > 0 && { encoding: all }) };
}

const mediaTypes = new Map<unknown, string>([
  ["tsv", "text/tab-separated-values"],
  ["csv", "text/csv"],
]);
const mediaOf = (format: unknown): string => mediaTypes.get(format) ?? "text/x-list";

/** Timeout for fetching a document. Files that a fetched document refers to are not read. */
const timeoutMs = 30_000;

type FetchedDocument = { readonly text: string; readonly etag?: string | undefined };

/** Fetches at most 32 MiB. Throws `UsageError` unless the server responds with success, or with 304 for `stored`, within 30 s. */
function fetchDocument(
  url: string,
  headers: Headers,
  stored: StoredDocument | undefined,
): Promise<FetchedDocument> {
  if (stored) headers.set("if-none-match", stored.etag); // RFC 9110 §13.1.2
  const read = (text: string, { ok, status, headers: answered }: Response): FetchedDocument => {
    if (stored && status === 304) return stored;
    if (!ok) throw new Error(`answers ${status}`);
    return { text, etag: entityTag(answered.get("etag")) };
  };
  return fetchText(`--openapi ${url}`, url, read, { timeoutMs, headers });
}

/** Returns `undefined` for a header that is not an entity tag (RFC 9110 §8.8.3) and could not be sent back. */
const entityTag = (header: string | null): string | undefined =>
  header !== null && /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(header) ? header : undefined;

/** The path of a document that is a file. Throws `UsageError` if it does not exist. */
function documentPath(given: string, root: string): string {
  const path = resolve(root, given);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new UsageError([`--openapi ${given}: the file does not exist`]);
  if (found.isDirectory()) throw new UsageError([`--openapi ${given}: is a folder, not a file`]);
  return path;
}

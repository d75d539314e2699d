/**
 * Reads an OpenAPI document from a file or a URL, with the files that it refers to. Returns each file under its name in `spec/`.
 */

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, posix, resolve, sep } from "node:path";
import type { Io } from "../../shared/cli/command.ts";
import { ExpectedFailure, UsageError, withoutPlace } from "../../shared/cli/command-failure.ts";
import { printable } from "../../shared/cli/printable.ts";
import { isHttpUrl } from "../../shared/manifests/manifest-locations.ts";
import { withShownUrls } from "../../shared/shown-url.ts";
import { UnreadableSpec } from "../diagnostic.ts";
import { type ReadFile, RestDocument } from "../openapi/document.ts";
import {
  documentNamed,
  isDocumentName,
  type NamedDocument,
  singleDocumentFile,
} from "../openapi/document-files.ts";
import { folderFiles } from "../project/spec-files.ts";
import { convertSwagger } from "./convert-swagger.ts";
import { type FetchedDocument, fetchDocument, type StoredDocument } from "./fetch-document.ts";
import { digestOf } from "./recorded-sources.ts";

/**
 * Names of files that the engine reads from `spec/`. A vendor's document that refers to such a name could smuggle in approvals or
 * saved operations. The pattern ignores case and trailing dots and spaces, as some file systems do.
 */
const ownNames =
  /^(?:(?:schema\.graphql|rest-only\.yaml|approvals\.yaml|credentials\.yaml)[. ]*(?:\/|$)|operations[. ]*\/.*\.(?:graphql|gql)[. ]*$)/iu;

/**
 * In the result, `files` has the texts of all files read so far. `stored`: the text to reuse if the URL still has the same ETag.
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
    : await fetchDocument(given, name, env, stored);
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

/** Reads files beside the document at `path`, by their future names in `spec/`. */
function filesBeside(path: string, { file: main, overlay, name }: NamedDocument): ReadFile {
  const folder = dirname(path);
  const files = folderFiles(folder);
  /**
   * Ignores symbolic links that lead out of the folder. Otherwise a link in a vendor's archive could copy a secret file of this
   * machine into the project.
   */
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
 * Throws `UsageError` if the document refers to a file whose name has a special meaning in `spec/`. `init` cannot rename that
 * file, because the document's `$ref`s contain its name.
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

/** Replaces names of `spec/` files in errors by the path or URL that the user wrote, because `spec/` has no files yet. */
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

/** Throws `UsageError` if `given` is not a file. */
function documentPath(given: string, root: string): string {
  const path = resolve(root, given);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new UsageError([`--openapi ${given}: the file does not exist`]);
  if (found.isDirectory()) throw new UsageError([`--openapi ${given}: is a folder, not a file`]);
  return path;
}

/** Reads the OpenAPI document that `init` is given, and the files that it refers to, under the names of a spec folder. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, posix, sep } from "node:path";
import { ExpectedFailure, withoutPlace } from "../../shared/cli/command-failure.ts";
import { printable } from "../../shared/cli/printable.ts";
import { UsageError } from "../../shared/cli/usage-error.ts";
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
import { documentPath, fetchDocument } from "./fetch-document.ts";

/**
 * The files of a spec folder that are no parts of a document. A vendor's document that refers to such a name could bring
 * approvals of its own, or operations that the server then runs as saved ones. File systems may disregard case, and dots and
 * spaces at the end.
 */
const ownNames =
  /^(?:(?:schema\.graphql|rest-only\.yaml|approvals\.yaml)[. ]*(?:\/|$)|operations[. ]*\/.*\.(?:graphql|gql)[. ]*$)/iu;

/**
 * The document under the name that it will have in the spec folder. `files`: the texts of the files that it consists of, as far
 * as they were read. `read` reads any of them.
 */
export async function readSourceDocument(given: string, root: string, name: string | undefined) {
  if (name !== undefined && !isDocumentName(name))
    throw new UsageError([`--name ${name}: a name has letters, digits, - and _ alone`]);
  const place = name === undefined ? singleDocumentFile : documentNamed(name);
  const source = isHttpUrl(given) ? undefined : filesBeside(documentPath(given, root), place);
  const main = await convertSwagger(source ? (source(place.file) ?? "") : await fetchDocument(given));
  const files = new Map<string, string>();
  const read: ReadFile = (file) => (file === place.file ? main : source?.(file));
  const readPart: ReadFile = (file) => {
    const text = read(file);
    if (text !== undefined) files.set(file, text);
    return text;
  };
  return { document: await ofDocument(given, () => new RestDocument([place], readPart)), files, place, read };
}

/** Files of a folder by the names that they will have: below the spec folder, or beside the documents there. */
function filesBeside(path: string, { file: main, overlay, name }: NamedDocument): ReadFile {
  const folder = dirname(path);
  const files = folderFiles(folder);
  /** A link in a vendor's archive could lead to a secret of this machine, which the project would then have. */
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

/** The parts of the document keep their names, because its references name them. */
export function rejectTakenNames(
  parts: Iterable<string>,
  given: string,
  { name, file, overlay }: NamedDocument,
): void {
  const isTaken = (part: string): boolean =>
    name === undefined ? ownNames.test(part) : posix.dirname(part) === posix.dirname(file);
  const taken = [...parts].filter((part) => part !== file && part !== overlay && isTaken(part));
  if (taken.length > 0)
    throw new UsageError(
      taken.map(
        (part) =>
          `--openapi ${given}: a $ref names the file ${posix.relative(posix.dirname(file), part)}, which has a meaning of its own in spec/${name === undefined ? "" : "openapi/"}: give it another name${name === undefined ? "" : ", in a folder"}, there and in the $ref`,
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

/** The places of its faults are not below `spec/` yet: they are told by the name that the user gave. */
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
 * The address of the document's first server. Files of the project have it, so the vendor's text is no part of them unless it
 * is an address alone.
 */
export function firstServerUrl(document: RestDocument): string | undefined {
  const server = document.child(document.child(document.root, "servers"), 0);
  const url = server && (server.value as { url?: unknown }).url;
  return typeof url === "string" && /^https?:\/\/[\w.:/~-]+$/.test(url) ? url : undefined;
}

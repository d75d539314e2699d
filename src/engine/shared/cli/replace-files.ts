/**
 * Replaces files and folders: new content is written next to its destination and then renamed, so that an interruption leaves
 * either the old or the new content. A folder needs two renames. An interruption between them leaves both the old and the new
 * folder under temporary names, such as `.spec.….tmp`.
 */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { ExpectedFailure, UsageError, withoutPlace } from "./command-failure.ts";
import { printable } from "./printable.ts";

/** If the path is a symbolic link, replaces its target. Writes to a device or a pipe without replacing it. */
export function replaceFile(path: string, text: string): void {
  writing(path, () => {
    const before = statSync(path, { throwIfNoEntry: false });
    if (before && !before.isFile()) return writeFileSync(path, text);
    const target = linkTarget(path);
    mkdirSync(dirname(target), { recursive: true });
    const staged = nameBeside(target);
    try {
      writeFileSync(staged, text, { flag: "wx", flush: true });
      if (before) keepOwner(staged, before);
      renameSync(staged, target);
    } finally {
      rmSync(staged, { force: true });
    }
  });
}

/** Removes a regular file. Does not remove a device or a pipe. */
export function removeFile(path: string): void {
  writing(path, () => {
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(linkTarget(path));
  });
}

/** Replaces the content of each folder by the files of its map. Writes all files before it replaces the first folder. */
export function replaceFolders(folders: ReadonlyMap<string, ReadonlyMap<string, string>>): void {
  const staged: [folder: string, path: string][] = [];
  try {
    for (const [folder, files] of folders) {
      rejectSymlink(folder);
      const path = nameBeside(folder);
      staged.push([folder, path]);
      for (const [name, text] of files) stage(folder, name, join(path, name), text);
    }
    for (const [folder, path] of staged) writing(folder, () => swap(path, folder));
  } finally {
    for (const [, path] of staged) rmSync(path, { recursive: true, force: true });
  }
}

/** Throws `UsageError` for a symbolic link: replacing its target could delete files that other programs use. */
export function rejectSymlink(folder: string): void {
  if (isLink(folder))
    throw new UsageError([
      `${folder} is a symbolic link, and the command replaces the whole folder: remove it first`,
    ]);
}

function stage(folder: string, name: string, path: string, text: string): void {
  writing(join(folder, name), () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flush: true });
  });
}

/** If processes replace the same folder concurrently, the last one wins. */
function swap(staged: string, folder: string): void {
  for (;;) {
    const before = nameBeside(folder);
    const wasThere = isMoved(folder, before);
    try {
      renameSync(staged, folder);
      rmSync(before, { recursive: true, force: true });
      return;
    } catch (error) {
      if (!["ENOTEMPTY", "EEXIST"].includes(codeOf(error))) {
        if (wasThere) renameSync(before, folder);
        throw error;
      }
      rmSync(before, { recursive: true, force: true });
    }
  }
}

function isMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** A temporary name in the same folder, because a rename cannot move a file to another file system. */
const nameBeside = (path: string): string =>
  join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`);

/** Resolves symbolic links, even if the target does not exist. Circular links have already failed in `statSync`. */
const linkTarget = (path: string): string =>
  isLink(path) ? linkTarget(resolve(realpathSync(dirname(path)), readlinkSync(path))) : path;

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

function keepOwner(path: string, { mode, uid, gid }: Stats): void {
  chmodSync(path, mode);
  try {
    chownSync(path, uid, gid);
  } catch (error) {
    // only root may change a file's owner to another user, so `EPERM` is ignored
    if (codeOf(error) !== "EPERM") throw error;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";

/** Makes system errors name `path`. Without this, they would name the temporary file or no file. */
function writing(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw codeOf(error) === "" ? error : unwritable(path, error as NodeJS.ErrnoException);
  }
}

function unwritable(path: string, { code, message }: NodeJS.ErrnoException): ExpectedFailure {
  const [, reason = "it failed"] = /^\w+: ([^,]+)/.exec(message) ?? [];
  const fault = `${path}: cannot be written: ${reason} (${code})`;
  return new ExpectedFailure(fault, { exitCode: 2, faults: [withoutPlace(printable(fault))] });
}

/**
 * Replaces files and folders. What is new is written beside its place and renamed, so that an interruption leaves the old
 * state or the new one. A write that fails ends the command with the name of the file.
 */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { ExpectedFailure, type Failure, withoutPlace } from "./failure.ts";
import { printable } from "./printable.ts";
import { UsageError } from "./usage-error.ts";

/** A link of the user's stays, and the file that it names is replaced. A device or a pipe is written to. */
export function replaceFile(path: string, text: string): void {
  writing(path, () => {
    const target = linkTarget(path);
    const before = statSync(target, { throwIfNoEntry: false });
    if (before && !before.isFile()) return writeFileSync(target, text);
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

/** Removes a file if it is a regular one: a device stays. */
export function removeFile(path: string): void {
  writing(path, () => {
    const target = linkTarget(path);
    if (statSync(target, { throwIfNoEntry: false })?.isFile()) rmSync(target);
  });
}

/** Each folder gets the files of its map, and no others. All are written before the first one is replaced. */
export function replaceFolders(folders: ReadonlyMap<string, ReadonlyMap<string, string>>): void {
  const staged = new Map<string, string>();
  try {
    for (const [folder, files] of folders) {
      refuseLink(folder);
      staged.set(folder, nameBeside(folder));
      for (const [name, text] of files) stage(folder, name, join(nameOf(staged, folder), name), text);
    }
    for (const folder of folders.keys()) writing(folder, () => swap(nameOf(staged, folder), folder));
  } finally {
    for (const folder of staged.values()) rmSync(folder, { recursive: true, force: true });
  }
}

const nameOf = (staged: ReadonlyMap<string, string>, folder: string): string => staged.get(folder) ?? folder;

/** What the link names may be shared with others, and may hold files that nobody would get back. */
function refuseLink(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
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

/** Another run may swap the same folder at the same time: the last one stays. */
function swap(staged: string, folder: string): void {
  for (;;) {
    const before = nameBeside(folder);
    const wasThere = isMoved(folder, before);
    try {
      renameSync(staged, folder);
      rmSync(before, { recursive: true, force: true });
      return;
    } catch (error) {
      const isAnotherThere = ["ENOTEMPTY", "EEXIST"].includes(codeOf(error));
      if (!isAnotherThere && wasThere) renameSync(before, folder);
      if (!isAnotherThere) throw error;
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

/** A name in the same folder, and so in the same file system. */
const nameBeside = (path: string): string =>
  join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`);

/** The file that a name leads to through symbolic links. It need not exist. */
function linkTarget(path: string, hops = 0): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && hops < mostHops ? linkTarget(resolve(dirname(path), readlinkSync(path)), hops + 1) : path;
}

/** Linux follows no more links either (path_resolution(7)). */
const mostHops = 40;

function keepOwner(path: string, { mode, uid, gid }: Stats): void {
  chmodSync(path, mode);
  try {
    chownSync(path, uid, gid);
  } catch (error) {
    // a file of another user, in a folder that is ours
    if (codeOf(error) !== "EPERM") throw error;
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";

/** Some errors of the system name no file, and others name the one that is written first. */
function writing(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw codeOf(error) === "" ? error : new Unwritable(path, error as NodeJS.ErrnoException);
  }
}

class Unwritable extends ExpectedFailure {
  readonly failure: Failure;

  constructor(path: string, { code, message }: NodeJS.ErrnoException) {
    const [, reason = "it failed"] = /^\w+: ([^,]+)/.exec(message) ?? [];
    super(`${path}: cannot be written: ${reason} (${code})`);
    this.failure = { exitCode: 2, faults: [withoutPlace(printable(this.message))] };
  }
}

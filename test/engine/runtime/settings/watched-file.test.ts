/** A file whose content changes while it is in use, in each way in which editors and deployment tools change files. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { WatchedFile, type WatchGroup } from "../../../../src/engine/runtime/settings/watched-file.ts";
import { readRegularFile } from "../../../../src/engine/shared/regular-file.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "watched-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** Watches a file of the form `<word>;`. Anything else is half-written. */
function watch(path: string, group?: WatchGroup) {
  const events: string[] = [];
  const file = new WatchedFile(
    {
      read: () => readRegularFile(path, 1_000),
      parse: (text) => {
        if (!/^\w+;$/.test(text)) throw new Error(`half-written: ${text}`);
        return text.slice(0, -1);
      },
      onApplied: () => events.push("applied"),
      onFailure: ({ message }) => events.push(message.replace(/^(ENOENT|ELOOP).*/s, "$1")),
    },
    group,
  );
  /** The value after a change, when the file is read again. */
  const after = (change: () => void, ms = 1_000): string => {
    change();
    vi.advanceTimersByTime(ms);
    return file.value;
  };
  return { file, events, after };
}

function watched(text = "one;") {
  const path = join(folder(), "file");
  writeFileSync(path, text);
  return { path, write: (changed: string) => () => writeFileSync(path, changed), ...watch(path) };
}

test("changed content is applied after a second, and not before", () => {
  const { file, events, after, write } = watched();
  expect(file.value).toBe("one");
  expect(after(write("two;"), 999)).toBe("one");
  expect(after(() => {}, 1)).toBe("two");
  expect(after(write("two;"))).toBe("two");
  expect(events).toEqual(["applied"]);
});

test("content of the same length, written in the same millisecond, is applied", () => {
  const { after, write } = watched();
  for (const word of ["abc", "abd", "abe"]) expect(after(write(`${word};`))).toBe(word);
});

test("a file that is replaced by renaming is applied", () => {
  const { path, events, after } = watched();
  const rename = (): void => {
    writeFileSync(`${path}.new`, "two;");
    renameSync(`${path}.new`, path);
  };
  expect(after(rename)).toBe("two");
  expect(events).toEqual(["applied"]);
});

test("a swapped symbolic link above the file is applied, as Kubernetes updates a mounted Secret", () => {
  const root = folder();
  const publish = (version: string, text: string) => (): void => {
    mkdirSync(join(root, version));
    writeFileSync(join(root, version, "secret"), text);
    symlinkSync(version, join(root, "..data_tmp"));
    renameSync(join(root, "..data_tmp"), join(root, "..data"));
  };
  publish("..2026_1", "one;")();
  symlinkSync(join("..data", "secret"), join(root, "secret"));
  const { events, after } = watch(join(root, "secret"));
  expect(after(() => {})).toBe("one");
  const replace = (): void => {
    publish("..2026_2", "two;")();
    rmSync(join(root, "..2026_1"), { recursive: true });
  };
  expect(after(replace)).toBe("two");
  expect(after(() => unlinkSync(join(root, "..data")))).toBe("two");
  expect(events).toEqual(["applied", "ENOENT"]);
});

test.each<[string, (path: string) => void, string]>([
  ["deleted for a moment", rmSync, "ENOENT"],
  ["half-written", (path) => writeFileSync(path, "tw"), "half-written: tw"],
  ["truncated", (path) => writeFileSync(path, ""), "half-written: "],
  ["too large", (path) => writeFileSync(path, "x".repeat(1_001)), expect.stringMatching("is larger than")],
  [
    "unreadable",
    (path) => {
      rmSync(path);
      symlinkSync(path, path); // not by its mode, which root ignores
    },
    "ELOOP",
  ],
  [
    "a folder",
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    "is a folder, not a file",
  ],
])("a file that is %s keeps its last valid content, and is reported once", (_, spoil, reason) => {
  const { path, file, events, after, write } = watched();
  expect(after(() => spoil(path))).toBe("one");
  expect(file.failure).toBeInstanceOf(Error);
  for (let times = 0; times < 3; times++) expect(after(() => {})).toBe("one");
  expect(events).toEqual([reason]);
  rmSync(path, { recursive: true, force: true });
  expect(after(write("two;"))).toBe("two");
  expect(file.failure).toBeUndefined();
  expect(events.at(-1)).toBe("applied");
});

test("the same content after a failure is reported as applied", () => {
  const { path, events, after, write } = watched();
  after(() => rmSync(path));
  expect(after(write("one;"))).toBe("one");
  expect(events).toEqual(["ENOENT", "applied"]);
});

test("without valid content so far, the value is the failure", () => {
  const { file, events, after, write } = watched("o");
  expect(() => file.value).toThrow("half-written: o");
  expect(after(write("one;"))).toBe("one");
  expect(events).toEqual(["half-written: o", "applied"]);
});

test("the first use after a long pause reads the file", () => {
  const { after, write } = watched();
  expect(after(write("two;"), 3_600_000)).toBe("two");
});

test("files of one group are read at the same moment", () => {
  const group: WatchGroup = new Set();
  const paths = ["new", "old"].map((name) => join(folder(), name));
  const [current = "", old = ""] = paths;
  for (const path of paths) writeFileSync(path, `${path === current ? "one" : "zero"};`);
  const first = watch(current, group);
  vi.advanceTimersByTime(500);
  const second = watch(old, group);
  vi.advanceTimersByTime(600);
  writeFileSync(current, "two;");
  writeFileSync(old, "one;");
  expect([first.file.value, second.file.value]).toEqual(["two", "one"]);
});

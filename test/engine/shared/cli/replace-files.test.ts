/** What the commands write replaces the old state at once: an interruption leaves the old state or the new one. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { removeFile, replaceFile, replaceFolders } from "../../../../src/engine/shared/cli/replace-files.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "replace-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

/** A state of many files that all have one text. */
const state = (text: string): Map<string, string> =>
  new Map(Array.from({ length: 20 }, (_, index) => [`part${index % 3}/file${index}`, text]));

/** The texts of all files below a folder. */
const textsOf = (root: string): Set<string> =>
  new Set(
    readdirSync(root, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), "utf8")] : [],
    ),
  );

const module = join(import.meta.dirname, "../../../../src/engine/shared/cli/replace-files.ts");

/** A process that replaces `root/state` by one text after the other. */
const writer = (root: string, texts: readonly string[], times: number) =>
  spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { replaceFolders } from ${JSON.stringify(module)};
      for (let time = 0; time < ${times}; time++) for (const text of ${JSON.stringify(texts)}) {
        const files = Array.from({ length: 20 }, (_, index) => ["part" + (index % 3) + "/file" + index, text]);
        replaceFolders(new Map([[${JSON.stringify(join(root, "state"))}, new Map(files)]]));
      }`,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );

test("several processes that replace one folder at the same time all end, and leave the whole state of one", async () => {
  const root = folder();
  const writers = ["a", "b", "c"].map((text) => writer(root, [text], 15));
  const said: string[] = [];
  for (const { stderr } of writers) stderr.on("data", (data) => said.push(String(data)));
  const codes = await Promise.all(writers.map(async (each) => (await once(each, "close"))[0]));
  expect([codes, said]).toEqual([[0, 0, 0], []]);
  expect(textsOf(root).size).toBe(1);
  expect(readdirSync(root)).toEqual(["state"]);
});

test("a process that is killed leaves a whole folder, the old one or the new one", {
  timeout: 60_000,
}, async () => {
  for (let round = 0; round < 12; round++) {
    const root = folder();
    replaceFolders(new Map([[join(root, "state"), state("old")]]));
    const writing = writer(root, ["one", "other"], 100_000);
    await setTimeout(150 + round * 13);
    writing.kill("SIGKILL");
    await once(writing, "close");
    // killed between its two renames, it leaves the old folder under another name
    const whole = readdirSync(root)
      .map((name) => join(root, name))
      .filter((path) => textsOf(path).size === 1);
    expect(whole.some((path) => readdirSync(path, { recursive: true }).length === 23)).toBe(true);
    if (existsSync(join(root, "state"))) expect(textsOf(join(root, "state")).size).toBe(1);
  }
});

test("a folder that cannot be written whole leaves all folders as they were", () => {
  const root = folder();
  const spec = join(root, "spec");
  const generated = join(root, "generated");
  replaceFolders(new Map([[spec, state("old")]]));
  symlinkSync(spec, generated);
  expect(() =>
    replaceFolders(
      new Map([
        [spec, state("new")],
        [generated, state("new")],
      ]),
    ),
  ).toThrow(`${generated} is a symbolic link`);
  const impossible = new Map([
    ["a", "text"],
    ["a/b", "text"],
  ]);
  rmSync(generated);
  expect(() =>
    replaceFolders(
      new Map([
        [spec, state("new")],
        [generated, impossible],
      ]),
    ),
  ).toThrow(`${generated}/a/b: cannot be written`);
  expect([readdirSync(root), textsOf(spec)]).toEqual([["spec"], new Set(["old"])]);
});

test("a link inside a folder is replaced, and the file that it names stays", () => {
  const root = folder();
  mkdirSync(join(root, "generated"));
  writeFileSync(join(root, "precious"), "mine");
  symlinkSync(join(root, "precious"), join(root, "generated/rest.ts"));
  replaceFolders(new Map([[join(root, "generated"), new Map([["rest.ts", "types"]])]]));
  expect(readFileSync(join(root, "precious"), "utf8")).toBe("mine");
  expect(lstatSync(join(root, "generated/rest.ts")).isFile()).toBe(true);
});

test("a file keeps its mode, and a link to it stays a link", () => {
  const root = folder();
  const file = join(root, "report.json");
  const link = join(root, "link.json");
  writeFileSync(file, "old");
  chmodSync(file, 0o664);
  symlinkSync("report.json", link);
  replaceFile(link, "new");
  expect([readFileSync(file, "utf8"), lstatSync(link).isSymbolicLink()]).toEqual(["new", true]);
  expect(statSync(file).mode & 0o777).toBe(0o664);
  removeFile(link);
  replaceFile(link, "again");
  expect([readFileSync(file, "utf8"), readdirSync(root).sort()]).toEqual([
    "again",
    ["link.json", "report.json"],
  ]);
});

test("a link is relative to the real folder that contains it, and circular links resolve to nothing", () => {
  const root = folder();
  mkdirSync(join(root, "real/sub"), { recursive: true });
  symlinkSync("real/sub", join(root, "through"));
  symlinkSync("../report.json", join(root, "real/sub/link.json"));
  replaceFile(join(root, "through/link.json"), "new");
  expect(readFileSync(join(root, "real/report.json"), "utf8")).toBe("new");
  const circle = join(root, "circle");
  symlinkSync("circle", circle);
  for (const write of [() => replaceFile(circle, "new"), () => removeFile(circle)])
    expect(write).toThrow(`${circle}: cannot be written: too many symbolic links encountered (ELOOP)`);
});

test("a file that is no regular one is neither removed nor replaced", async () => {
  const root = folder();
  const pipe = join(root, "pipe");
  execFileSync("mkfifo", [pipe]);
  removeFile(pipe);
  const reader = spawn("cat", [pipe]);
  const read = once(reader.stdout, "data");
  replaceFile(pipe, "a report");
  expect(String((await read)[0])).toBe("a report");
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  expect(() => replaceFile(root, "text")).toThrow(
    `${root}: cannot be written: illegal operation on a directory`,
  );
});

test("a disk that takes no more leaves the old file, and names it", () => {
  const root = folder();
  const file = join(root, "report.json");
  writeFileSync(file, "old");
  const script = `import { replaceFile } from ${JSON.stringify(module)};
    try { replaceFile(${JSON.stringify(file)}, "x".repeat(1_000_000)); } catch (error) { console.log(error.message); }`;
  const said = execFileSync("sh", [
    "-c",
    `trap '' XFSZ; ulimit -f 8; exec "$0" --input-type=module -e "$1"`,
    process.execPath,
    script,
  ]);
  expect(String(said)).toBe(`${file}: cannot be written: file too large (EFBIG)\n`);
  expect([readFileSync(file, "utf8"), readdirSync(root)]).toEqual(["old", ["report.json"]]);
});

/** docs/architecture.md shows the code that there is: every folder of src, and no path that is not there. */
import { existsSync, globSync, readdirSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { expect, test } from "vitest";
import { buildTime, runTime } from "../layers.ts";
import { read, root } from "./page.ts";

const page = read("docs/architecture.md");

const foldersOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => [`${folder}/${entry.name}`, ...foldersOf(`${folder}/${entry.name}`)]);

/** First cells of the table of folders. */
const described = [
  ...(page.split("| folder | holds |")[1]?.split("\n\n")[0] ?? "").matchAll(/^\| `([\w/-]+)` \|/gm),
].map(([, folder]) => folder);

test("has every folder of src, and no other", () => {
  expect([...described].sort()).toEqual(foldersOf("src").sort());
});

test("names only paths that are there", () => {
  const named = [...page.matchAll(/(?:spec|src|test|docs|generated)\/[\w./-]*\w|\bpackage\.json/g)].map(
    String,
  );
  const all = [...named, ...described].filter((path) => path !== undefined);
  expect(all.length).toBeGreaterThan(60);
  // optional files of a spec pair
  const optional = ["spec/approvals.yaml", "spec/openapi", "spec/overlay.yaml"];
  expect(all.filter((path) => !optional.includes(path) && !existsSync(join(root, path)))).toEqual([]);
});

test("an edit is followed from text to finding in at most 14 files, each imported by one above it", () => {
  const table = page.split("| step of the edit | file |")[1]?.split("\n\n")[0] ?? "";
  const files = [...table.matchAll(/`(src\/[\w./-]+\.ts)`/g)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(9);
  expect(files.length).toBeLessThanOrEqual(14);
  const imported = files.map((file) =>
    [...read(file).matchAll(/from "(\.[^"]+)"/g)].map(([, to = ""]) => join(dirname(file), to)),
  );
  const apart = files.filter((file, index) => index > 0 && !imported.slice(0, index).flat().includes(file));
  expect(apart).toEqual([]);
});

test("shows the layers that the linter enforces", () => {
  const table = page.split("| build time | run time |")[1]?.split("\n\n")[0] ?? "";
  const rows = table.split("\n").filter((line) => line.includes("`"));
  const shown = [1, 2].map((column) =>
    rows.flatMap((line) => {
      const cell = line.split("|")[column]?.trim();
      return cell ? [cell.split(", ").map((name) => name.replaceAll(/`(?:src\/(?:engine\/)?)?/g, ""))] : [];
    }),
  );
  expect(shown).toEqual([buildTime, runTime]);
});

test("follows a field from its text to its resolver through at most fifteen files, each imported by another one", () => {
  const table = page.split("| step of a field | file |")[1]?.split("\n\n")[0] ?? "";
  const files = [...table.matchAll(/`([\w/.-]+\.ts)`/g)].map(([, path = ""]) =>
    path.startsWith("src/") ? path : `src/engine/${path}`,
  );
  expect(files.length).toBeLessThanOrEqual(15);
  expect(new Set(files).size).toBe(files.length);
  const sources = globSync("src/engine/**/*.ts", { cwd: root });
  const importedBy = (path: string): string[] =>
    sources.filter((other) =>
      [...read(other).matchAll(/from "(\.[^"]+)"/g)].some(
        ([, to = ""]) => posix.join(posix.dirname(other), to) === path,
      ),
    );
  // the first file is read by the commands; every other one is a step from a file of the list, or two
  const isNear = (path: string): boolean => {
    const direct = importedBy(path);
    return [...direct, ...direct.flatMap(importedBy)].some((each) => files.includes(each) && each !== path);
  };
  expect(files.filter((path) => !isNear(path) && !path.includes("/codegen/"))).toEqual([
    "src/engine/build/project/project.ts",
  ]);
});

/** docs/explanation/architecture.md shows the code as it is: every folder of src, and no path that does not exist. */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "./page.ts";

const page = read("docs/explanation/architecture.md");

const foldersOf = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => [`${folder}/${entry.name}`, ...foldersOf(`${folder}/${entry.name}`)]);

/** The folders of the tree, each by its path. */
function foldersOfTree(): string[] {
  const tree = /## The tree\n\n```\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const path: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const [, indent = "", name] = /^( *)([\w-]+)\/ /.exec(`${line} `) ?? [];
    if (name === undefined) return [];
    path.splice(indent.length / 2, Number.POSITIVE_INFINITY, name);
    return [path.join("/")];
  });
}

test("the tree has every folder of src, and no other", () => {
  expect(foldersOfTree().sort()).toEqual(["src", ...foldersOf("src")].sort());
});

test("is short", () => {
  expect(page.split("\n").length).toBeLessThanOrEqual(151);
});

test.each(["docs/explanation/architecture.md", "CONTRIBUTING.md"])(
  "%s names only paths that exist",
  (path) => {
    const named = [
      ...read(path).matchAll(/(?:spec|src|test|docs|generated)\/[\w./-]*\w|\bpackage\.json/g),
    ].map(String);
    expect(named.length).toBeGreaterThan(20);
    const optional = ["spec/approvals.yaml", "spec/overlay.yaml", "test/x.test.ts"];
    expect(named.filter((name) => !optional.includes(name) && !existsSync(join(root, name)))).toEqual([]);
  },
);

test("the steps of a request name files of their folders", () => {
  const diagram = /```mermaid\nsequenceDiagram\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const files = [...diagram.matchAll(/[\w-]+(?:\/[\w-]+)*\.ts/g)].map(String);
  const folders = ["src/engine/gateway", "src/engine/runtime/graphql", "src/engine/runtime/graphql/plan"];
  const places = [...folders, "src/engine/runtime/rest", "."];
  expect(files.length).toBeGreaterThan(9);
  expect(files.filter((file) => !places.some((place) => existsSync(join(root, place, file))))).toEqual([]);
});

test("an edit is followed from text to finding in at most 14 files, each imported by one above it", () => {
  const diagram = /```mermaid\nflowchart TD\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const files = [...diagram.matchAll(/"(src\/[\w./-]+\.ts): /g)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(9);
  expect(files.length).toBeLessThanOrEqual(14);
  const imported = files.map((file) =>
    [...read(file).matchAll(/from "(\.[^"]+)"/g)].map(([, to = ""]) => join(dirname(file), to)),
  );
  const apart = files.filter((file, index) => index > 0 && !imported.slice(0, index).flat().includes(file));
  expect(apart).toEqual([]);
});

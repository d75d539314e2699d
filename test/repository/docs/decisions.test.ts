/** docs/decisions.md and CONTRIBUTING.md name files that are there, and the versions that are installed. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "./page.ts";

test.each(["docs/decisions.md", "CONTRIBUTING.md"])("%s names only files that are there", (path) => {
  const page = read(path);
  const named = [...page.matchAll(/`((?:spec|src|test|docs)\/[\w./-]+)`/g)].map(([, name = ""]) => name);
  const linked = [...page.matchAll(/\]\(([\w./-]+)\)/g)].map(([, name = ""]) => join(dirname(path), name));
  const all = [...named, ...linked];
  expect(all.length).toBeGreaterThan(5);
  expect(all.filter((name) => !existsSync(join(root, name)))).toEqual([]);
});

test("libraries in use are those of package.json, at its versions", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  const engine = JSON.parse(read("src/engine/package.json"));
  const installed: Record<string, string> = { ...engine.dependencies, ...dependencies, ...devDependencies };
  const chapter = read("docs/decisions.md").split("## Libraries in use")[1]?.split("\n## ")[0] ?? "";
  const rows = [...chapter.matchAll(/^\|[^|]+\| ([^|;]+)/gm)].map(([, cell = ""]) => cell);
  const named = rows.flatMap((cell) => [...cell.matchAll(/`([@\w/-]+)` (\d[\d.]*)/g)]);
  expect(named.length).toBeGreaterThan(5);
  const stale = named.filter(([, name = "", version]) => installed[name] !== version).map(String);
  expect(stale).toEqual([]);
});

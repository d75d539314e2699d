/** Every page: its links lead somewhere, and the npm scripts that it names exist. */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "./page.ts";

const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const pages = [...pagesIn("."), ...pagesIn("docs"), ...pagesIn("deploy")];

/** GitHub's anchor of a heading. */
const anchors = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

test.each(pages)("%s links to what is there", (path) => {
  const links = [...read(path).matchAll(/\]\(([\w./-]*)(?:#([\w-]+))?\)/g)];
  const broken = links.filter(([, file = "", anchor]) => {
    const target = file === "" ? path : join(dirname(path), file);
    return !existsSync(join(root, target)) || (anchor && !anchors(read(target)).includes(anchor));
  });
  expect(broken.map(String)).toEqual([]);
});

test.each(pages)("%s names npm scripts that exist", (path) => {
  const scripts = Object.keys(JSON.parse(read("package.json")).scripts);
  const named = [...read(path).matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name);
  expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
});

test("README leads to every page", () => {
  const readme = read("README.md");
  expect(pages.filter((path) => path !== "README.md" && !readme.includes(`](${path})`))).toEqual([]);
});

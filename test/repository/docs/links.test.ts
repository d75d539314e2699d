/** Every page: its links lead somewhere, and README leads to it. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { pages, read, root } from "./page.ts";

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

test("README leads to every page", () => {
  const readme = read("README.md");
  const own = pages.filter((path) => !/README\.md$/.test(path));
  expect(own.length).toBeGreaterThan(10);
  expect(own.filter((path) => !readme.includes(`](${path})`))).toEqual([]);
});

/** Every page: its links lead somewhere, and a reader gets to it from README. */
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
  const found = new Set<string>();
  const follow = (path: string): void => {
    if (found.has(path) || !pages.includes(path)) return;
    found.add(path);
    for (const [, to = ""] of read(path).matchAll(/\]\(([\w./-]+\.md)/g)) follow(join(dirname(path), to));
  };
  follow("README.md");
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter((path) => !found.has(path))).toEqual([]);
});

/** The pages that `npm run docs` generates are up to date. */
import { expect, test } from "vitest";
import { generatedPages } from "./generated-pages.ts";
import { read, tableOf } from "./page.ts";

test("generated pages are what the code prints", async () => {
  const pages = await generatedPages();
  expect([...pages.keys()].length).toBeGreaterThan(3);
  for (const [path, text] of pages) expect(read(path), `${path}: run \`npm run docs\``).toBe(text);
});

test("each variable and each metric has a meaning", () => {
  const rows = [
    ...tableOf(read("docs/reference/variables.md"), "variable"),
    ...tableOf(read("docs/reference/metrics.md"), "metric"),
  ];
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter((cells) => cells.at(-1) === "")).toEqual([]);
});

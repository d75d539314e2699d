/** docs/operating.md names every metric of our own. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "./page.ts";

const folder = "src/engine/server/metrics";

test("names every metric", () => {
  const page = read("docs/operating.md");
  const source = readdirSync(join(root, folder)).map((file) => read(join(folder, file)));
  const registered = /(?:histograms|counters|gauge|ofBounds|add\("(?:gauge|counter)",)\(?\s*"(\w+)"/g;
  const names = [...source.join("\n").matchAll(registered)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

/** docs/operating.md names every metric of our own. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "./page.ts";

const folder = "src/engine/process/metrics";

test("names every metric", () => {
  const page = read("docs/operating.md");
  const source = readdirSync(join(root, folder)).map((file) => read(join(folder, file)));
  const names = [...source.join("\n").matchAll(/"([a-z]+(?:_[a-z]+)+|ready)"/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

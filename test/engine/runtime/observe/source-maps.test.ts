/** What a log line says of places in a bundle. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createSourceMapper } from "../../../../src/engine/runtime/observe/source-maps.ts";

test("a line names the source of a place in the program's folder, and reads no other map", () => {
  const top = mkdtempSync(join(tmpdir(), "maps-"));
  onTestFinished(() => rmSync(top, { recursive: true }));
  // the second line of the file is the third of its source
  const map = { version: 3, sources: ["../src/a.ts"], names: [], mappings: ";AAEA" };
  for (const name of ["a.js.map", "other.js.map"]) writeFileSync(join(top, name), JSON.stringify(map));
  const nameSources = createSourceMapper(top);
  const url = pathToFileURL(top).href;
  const source = pathToFileURL(join(top, "../src/a.ts")).href;
  expect(nameSources(`{"stack":"at f (${url}/a.js:2:1)\\n at ${url}/a.js:2:1"}`)).toBe(
    `{"stack":"at f (${source}:3:1)\\n at ${source}:3:1"}`,
  );
  for (const others of [
    `${url}/without.js:2:1`,
    `${url}/../${"x".repeat(8)}/a.js:2:1`,
    `${pathToFileURL("/etc/a.js")}:2:1`,
  ])
    expect(nameSources(others)).toBe(others);
  expect(createSourceMapper(join(top, "below"))(`${url}/other.js:2:1`)).toBe(`${url}/other.js:2:1`);
});

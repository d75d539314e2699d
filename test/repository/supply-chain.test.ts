/** What an installation takes from others, held by `npm run suite -- supply-chain`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findSbomGaps, findUnsafeEntries, stable } from "../../deploy/supply-chain.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { packages } = JSON.parse(read("package-lock.json"));

test("every entry of the lockfile is pinned by its content, from the registry, under an allowed licence", () => {
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(findUnsafeEntries(packages)).toEqual([]);
});

const good = { integrity: "sha512-abc", license: "MIT" };
test.each([
  ["no integrity", { license: "MIT" }],
  ["a weak integrity", { ...good, integrity: "sha1-abc" }],
  ["git", { ...good, resolved: "git+ssh://git@host.example/a.git#0" }],
  ["another host", { ...good, resolved: "http://host.example/a.tgz" }],
  ["a folder", { ...good, link: true }],
  ["another licence", { ...good, license: "AGPL-3.0" }],
  ["a tool's licence in production", { ...good, license: "MPL-2.0" }],
  ["no licence", { integrity: "sha512-abc" }],
])("%s is found", (_name, entry) => {
  expect(findUnsafeEntries({ "": {}, "node_modules/a": good })).toEqual([]);
  expect(findUnsafeEntries({ "node_modules/a": entry }).length).toBe(1);
});

test("a bill of materials without a package, or without its hash, is found", () => {
  const packages = { "": {}, "node_modules/a": { ...good, version: "1" }, "node_modules/b": { dev: true } };
  const bill = (...components: object[]): string => JSON.stringify({ components });
  const a = { name: "a", version: "1", hashes: [{ alg: "SHA-512", content: "abc" }] };
  expect(findSbomGaps(bill(a), packages)).toEqual([]);
  expect(findSbomGaps(bill(), packages)).toEqual(["bill of materials: a@1 is missing, or has no hash"]);
  expect(findSbomGaps(bill({ ...a, hashes: [] }), packages).length).toBe(1);
});

test("the bill of materials has nothing that changes from run to run", () => {
  const component = { "bom-ref": "a@1", name: "folder", version: "1", author: "a" };
  const given = { metadata: { component, timestamp: "now" }, components: [component], dependencies: [] };
  const made = JSON.parse(stable(given, "project", new Set()));
  expect(made.metadata).toEqual({ component: { "bom-ref": "a@1", name: "project", version: "1" } });
});

test("no package runs an install script", () => {
  expect(read(".npmrc")).toMatch(/^ignore-scripts=true$/m);
});

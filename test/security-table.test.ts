/** deploy/SECURITY.md names tests as its proof: each must be there, in that file and under that title. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const document = read("deploy/SECURITY.md");

/** Rows of the tables with a column of tests. */
const rows = document
  .split("| risk | what this project does | test |\n")
  .slice(1)
  .flatMap((rest) => rest.split("\n\n")[0]?.split("\n").slice(1) ?? []);

const proofs = (row: string): [path: string, title: string][] =>
  [...row.matchAll(/`(test\/[\w./-]+)` "([^"]+)"/g)].map(([, path = "", title = ""]) => [path, title]);

/** Whether the file has a test, or a group of tests, of this title. */
const hasTest = (path: string, title: string): boolean =>
  existsSync(join(root, path)) &&
  [`"${title}",`, `\`${title}\`,`].some((quoted) => titles(path).includes(quoted));

/** All that stands first in a call, as a title does. */
const titles = (path: string): string[] =>
  [...read(path).matchAll(/\(\s*((["`])(?:(?!\2).)+\2,)/g)].map(([, quoted = ""]) => quoted);

test("every risk has its proof, and every proof exists", () => {
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.filter((row) => proofs(row).length === 0)).toEqual([]);
  expect(rows.flatMap(proofs).filter(([path, title]) => !hasTest(path, title))).toEqual([]);
});

test("a proof that is not there is missed", () => {
  expect(hasTest("test/security-table.test.ts", "a proof that is not there is missed")).toBe(true);
  expect(hasTest("test/security-table.test.ts", "a proof that is not")).toBe(false);
  expect(hasTest("test/no-such.test.ts", "a")).toBe(false);
});

test("all ten of OWASP's API risks are there", () => {
  const named = rows.flatMap((row) => /^\| API(\d+) /.exec(row)?.[1] ?? []);
  expect(named).toEqual(Array.from({ length: 10 }, (_, index) => String(index + 1)));
});

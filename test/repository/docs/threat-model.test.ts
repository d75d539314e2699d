/** docs/explanation/threat-model.md names tests as proof of its controls: each must exist, in that file and under that title. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { read, root } from "./page.ts";

const page = read("docs/explanation/threat-model.md");

/** The cells of each row of a table of threats. */
const rows = page
  .split("| threat | control | test |\n")
  .slice(1)
  .flatMap((text) => (text.split("\n\n")[0] ?? "").split("\n").slice(1))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").trim()));

const proofs = (cell: string): [path: string, title: string][] =>
  [...cell.matchAll(/`([\w./-]+\.test\.ts)` "([^"]+)"/g)].map(([, path = "", title = ""]) => [
    `test/${path}`,
    title,
  ]);

/** Whether the file has a test, or a group of tests, with this title. */
const hasTest = (path: string, title: string): boolean =>
  existsSync(join(root, path)) &&
  [`"${title}",`, `\`${title}\`,`].some((each) => titles(path).includes(each));

/** The first arguments of calls, which include all titles. */
const titles = (path: string): string[] =>
  [...read(path).matchAll(/\(\s*((["`])(?:(?!\2).)+\2,)/g)].map(([, quoted = ""]) => quoted);

test("every threat has a control and a test, and every test exists", () => {
  expect(rows.length).toBeGreaterThan(60);
  expect(rows.filter(({ length }) => length !== 3)).toEqual([]);
  expect(rows.filter(([, control, tests = ""]) => !control || proofs(tests).length === 0)).toEqual([]);
  expect(rows.flatMap(([, , tests = ""]) => proofs(tests)).filter((proof) => !hasTest(...proof))).toEqual([]);
});

test("a test that does not exist is noticed", () => {
  const here = "test/repository/docs/threat-model.test.ts";
  expect(hasTest(here, "a test that does not exist is noticed")).toBe(true);
  expect(hasTest(here, "a test that does not")).toBe(false);
  expect(hasTest("test/no-such.test.ts", "a")).toBe(false);
});

test("covers OWASP's ten API risks", () => {
  const named = new Set([...page.matchAll(/\bAPI(\d+)\b/g)].map(([, number]) => Number(number)));
  expect([...named].sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

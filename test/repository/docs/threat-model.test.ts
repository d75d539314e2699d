/** docs/explanation/threat-model.md names tests as proof of its controls: each must exist, in that file and under that title. */
import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { read, root } from "./page.ts";

const page = read("docs/explanation/threat-model.md");

/** The cells of each row of a table of threats. */
const rows = page
  .split("| threat | control | test |\n")
  .slice(1)
  .flatMap((text) => (text.split("\n\n")[0] ?? "").split("\n").slice(1))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").trim()));

/** Each file may have several titles: `a.test.ts` "one", "another". */
const proofs = (cell: string): [file: string, title: string][] =>
  [...cell.matchAll(/`([\w./-]+\.test\.ts)`((?:,? "[^"]+")+)/g)].flatMap(([, file = "", all = ""]) =>
    [...all.matchAll(/"([^"]+)"/g)].map(([, title = ""]): [string, string] => [file, title]),
  );

const testFiles = globSync("test/**/*.test.ts", { cwd: root });

/** Whether exactly one path ends so, and its file has a test, or a group of tests, with this title. */
function hasTest(file: string, title: string): boolean {
  const [path, ...others] = testFiles.filter((each) => each.endsWith(`/${file}`));
  if (path === undefined || others.length > 0) return false;
  return [`"${title}",`, `\`${title}\`,`].some((each) => titles(path).includes(each));
}

/** The first arguments of calls, which include all titles. */
const titles = (path: string): string[] =>
  [...read(path).matchAll(/\(\s*((["`])(?:(?!\2).)+\2,)/g)].map(([, quoted = ""]) => quoted);

test("every threat has a control and a test, and every test exists", () => {
  expect(rows.length).toBeGreaterThan(60);
  expect(page.match(/\.test\.ts`/g)?.length).toBe(
    rows.flatMap(([, , tests = ""]) => tests.match(/\.test\.ts` "/g) ?? []).length,
  );
  expect(rows.filter(({ length }) => length !== 3)).toEqual([]);
  expect(rows.filter(([, control, tests = ""]) => !control || proofs(tests).length === 0)).toEqual([]);
  expect(rows.flatMap(([, , tests = ""]) => proofs(tests)).filter((proof) => !hasTest(...proof))).toEqual([]);
});

test("a test that does not exist is noticed", () => {
  const here = "threat-model.test.ts";
  expect(hasTest(here, "a test that does not exist is noticed")).toBe(true);
  expect(hasTest(here, "a test that does not")).toBe(false);
  expect(hasTest("no-such.test.ts", "a")).toBe(false);
  // two files are called keys.test.ts
  const title = "a good answer for 25 s, so that a revoked key is refused within 30";
  expect([hasTest("gateway/keys.test.ts", title), hasTest("keys.test.ts", title)]).toEqual([true, false]);
});

test("covers OWASP's ten API risks", () => {
  const named = new Set([...page.matchAll(/\bAPI(\d+)\b/g)].map(([, number]) => Number(number)));
  expect([...named].sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

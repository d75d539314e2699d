/** deploy/SECURITY.md names tests as its proof: each must be there, in that file and under that title. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const document = read("deploy/SECURITY.md");

/** One section for each risk: its name, what this project does, and the tests that hold it. */
const risks = document.split("\n### ").slice(1);

const proofs = (risk: string): [path: string, title: string][] =>
  [...risk.matchAll(/`(test\/[\w./-]+)` "([^"]+)"/g)].map(([, path = "", title = ""]) => [path, title]);

/** Whether the file has a test, or a group of tests, of this title. */
const hasTest = (path: string, title: string): boolean =>
  existsSync(join(root, path)) &&
  [`"${title}",`, `\`${title}\`,`].some((quoted) => titles(path).includes(quoted));

/** All that stands first in a call, as a title does. */
const titles = (path: string): string[] =>
  [...read(path).matchAll(/\(\s*((["`])(?:(?!\2).)+\2,)/g)].map(([, quoted = ""]) => quoted);

test("every risk has its proof, and every proof exists", () => {
  expect(risks.length).toBeGreaterThan(40);
  expect(risks.filter((risk) => proofs(risk).length === 0)).toEqual([]);
  expect(risks.flatMap(proofs).filter(([path, title]) => !hasTest(path, title))).toEqual([]);
});

test("a proof that is not there is missed", () => {
  expect(hasTest("test/repository/security-table.test.ts", "a proof that is not there is missed")).toBe(true);
  expect(hasTest("test/repository/security-table.test.ts", "a proof that is not")).toBe(false);
  expect(hasTest("test/no-such.test.ts", "a")).toBe(false);
});

test("all ten of OWASP's API risks are there", () => {
  const named = risks.flatMap((risk) => /^API(\d+) /.exec(risk)?.[1] ?? []);
  expect(named).toEqual(Array.from({ length: 10 }, (_, index) => String(index + 1)));
});

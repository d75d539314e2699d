/** The patterns that stand for operations: a star takes any text. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { operationsOf } from "../../../../src/engine/build/openapi/operation-pattern.ts";
import { readOperations } from "../../../../src/engine/build/openapi/read-operations.ts";
import { seed } from "../../../support/seed.ts";
import { restDocument } from "./rest-document.ts";

/** Whether the pattern stands for an operation of this id. */
function takes(pattern: string, operationId: string): boolean {
  const get = { operationId, responses: { 204: { description: "nothing" } } };
  const document = restDocument({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: { "/": { get } },
  });
  return operationsOf(readOperations(document), pattern).length > 0;
}

test("a pattern takes what a regular expression with `.*` for each star takes", () => {
  const letters = (others: string[]) =>
    fc.array(fc.constantFrom("a", "b", ...others), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(letters(["*"]), letters([]), (glob, id) => {
      const pattern = glob.join("");
      fc.pre(pattern.includes("*") && !/^\**$/.test(pattern));
      expect(takes(pattern, id.join(""))).toBe(
        new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(id.join("")),
      );
    }),
    { numRuns: 500, seed },
  );
});

test("a pattern of many stars ends", () => {
  expect(takes(`${"*".repeat(1_000)}b`, "a".repeat(10_000))).toBe(false);
  expect(takes("*a".repeat(1_000), "a".repeat(10_000))).toBe(true);
});

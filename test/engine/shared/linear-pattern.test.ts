/** Patterns run in linear time, and say of a text what JavaScript's own engine says. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ajv } from "../../../src/engine/shared/json-schema.ts";
import { isLinear, linearPattern } from "../../../src/engine/shared/linear-pattern.ts";
import { unitGrowth } from "../../support/cost.ts";
import { seed } from "../../support/seed.ts";

const mebibyte = 2 ** 20;

/** V8 joins the pieces of a concatenated string when it is first read. */
const flat = (text: string): string => Buffer.from(text, "latin1").toString("latin1");

test.each([String.raw`^(\w+\s?)*$`, "(a+)+$", "^(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*a)+!x"])(
  "%s on 1 MiB, where a backtracking engine does not end",
  async (pattern) => {
    const validate = ajv.compile({ pattern });
    // made once: to copy a text of 1 MiB costs more than to match it
    const texts = new Map([mebibyte / 32, mebibyte].map((size) => [size, flat(`${"a".repeat(size)}!`)]));
    const refuse = (size: number) => expect(validate(texts.get(size))).toBe(false);
    expect(await unitGrowth(refuse, mebibyte / 32, mebibyte, 8)).toBeLessThan(8); // 32 with the square
  },
);

test("a text that is too long for a large pattern is left to REST", () => {
  const large = linearPattern("[ab]*a[ab]{900}c$");
  const text = (length: number) => "ab".repeat(length / 2).concat("d");
  expect(large.test(text(20_000))).toBe(false);
  expect(large.test(text(mebibyte))).toBe(true);
});

test("two patterns of one schema are two checks", () => {
  const validate = ajv.compile({ allOf: [{ pattern: "^a" }, { pattern: "b$" }] });
  expect(["ab", "a", "b"].map((text) => validate(text))).toEqual([true, false, false]);
});

test.each([
  "^(?!a)",
  "(?<=a)b",
  String.raw`(a)\1`,
  String.raw`(?<n>a)\k<n>`,
  "(?i:a)",
  "a{1001}",
  "(",
  "(?P<n>a)",
])("%s is none that can be run in linear time", (pattern) => expect(isLinear(pattern)).toBe(false));

/** Pieces of patterns; each is an atom by itself. */
const atoms = [
  ..."ab1-!_",
  ..."\u00a0\u2028é",
  ".",
  "^",
  "$",
  ...[
    "d",
    "D",
    "w",
    "W",
    "s",
    "S",
    "b",
    "B",
    "t",
    "n",
    "v",
    "0",
    "/",
    ".",
    "cJ",
    "x61",
    "u0061",
    "u{1F600}",
  ].map((letters) => `\\${letters}`),
  String.raw`\ud83d\ude00`,
  String.raw`\p{L}`,
  String.raw`\P{Lu}`,
  "[]",
  "[^]",
  "[^a]",
  "[[a]",
  "[a-z]",
  String.raw`[\s-]`,
  String.raw`[\S]`,
  String.raw`[^\S\n]`,
  String.raw`[\b]`,
  String.raw`[\u0061-\u{1F600}]`,
  String.raw`[\]\\-]`,
  "[^.$]",
  String.raw`[\w\-]`,
];
const quantifiers = ["", "", "", "*", "+", "?", "*?", "{2}", "{0,2}", "{1,}"];
const pattern = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...atoms) },
    { weight: 2, arbitrary: tie("pattern").map((inner) => `(${inner})`) },
    { weight: 1, arbitrary: tie("pattern").map((inner) => `(?:${inner})`) },
    { weight: 1, arbitrary: tie("pattern").map((inner) => `(?<n>${inner})`) },
  ),
  pattern: fc
    .array(fc.tuple(tie("atom"), fc.constantFrom(...quantifiers), fc.constantFrom("", "", "", "|")), {
      maxLength: 4,
    })
    .map((parts) => parts.map((part) => part.join("")).join("")),
})).pattern;
const text = fc
  .array(fc.constantFrom(..."ab1-!_.$[]\\/A \t\n\v\r\b\0\u00a0\u2028\ufeffé😀"), { maxLength: 6 })
  .map((all) => all.join(""));

function native(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}

describe("the verdict of JavaScript's own engine", () => {
  test("on random patterns and texts", () => {
    let compared = 0;
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 4, maxLength: 8 }), (drawn, texts) => {
        const expected = native(drawn);
        if (!expected || !isLinear(drawn)) return;
        compared++;
        const linear = linearPattern(drawn);
        expect(texts.map((each) => linear.test(each))).toEqual(texts.map((each) => expected.test(each)));
      }),
      { numRuns: 3_000, seed },
    );
    expect(compared).toBeGreaterThan(1_500);
  });
});

test("every format is checked in about linear time", async () => {
  const units = [
    "a",
    "a.",
    "a-",
    "1",
    "::",
    "a:",
    "0:",
    "AAAA",
    "AAAA\n",
    "%41",
    "{a}",
    "//",
    "~0",
    "\n",
    "@",
    "é",
  ];
  const heads = ["", "http://", "http://[", "a@", "/", "#/", "P", "2020-01-01T", "00:00:00."];
  for (const format of Object.keys(ajv.formats)) {
    const validate = ajv.compile({ format });
    const check = (length: number) => {
      for (const head of heads)
        for (const unit of units) validate(`${head}${unit.repeat(length / unit.length)}\u0000`);
    };
    expect(await unitGrowth(check, 500, 8_000, 5), format).toBeLessThan(5); // 16 with the square
  }
});

/** The patterns of OpenAPI 3.0 mean in Unicode mode what they meant without it. */
import { expect, test } from "vitest";
import { readLimits } from "../../../../src/engine/build/openapi/shapes/limits.ts";

const texts = [
  "-1",
  "1",
  "a.b-c",
  "a_b:@!",
  "{ab}",
  "aa]",
  "d-_",
  "im",
  " #",
  `["'`,
  "a{,3}",
  "aaa",
  "/",
  "x-",
];

test.each([
  String.raw`^\-?[0-9]+(\.[0-9]+)?$`,
  String.raw`^[\w-.]+$`,
  String.raw`^[a-z\d-_]+$`,
  String.raw`^[^\s-\/]+$`,
  String.raw`^[\]\-\[]\"\'$`,
  String.raw`^[\.\-\_]+$`,
  String.raw`^a\_b\:\@\!$`,
  String.raw`^\ \#$`,
  String.raw`^\i\m$`,
  "^{[a-z]+}$",
  "^a{2}]$",
  "^a{,3}$",
])("%s", (pattern) => {
  const plain = new RegExp(pattern);
  expect(() => new RegExp(pattern, "u")).toThrow();
  const unicode = new RegExp(String(readLimits({ pattern }, true).pattern), "u");
  expect(texts.map((text) => unicode.test(text))).toEqual(texts.map((text) => plain.test(text)));
  expect(readLimits({ pattern }, false)).toEqual({ pattern });
});

test("a pattern that is one of Unicode mode already, or none at all, stays as it is", () => {
  for (const pattern of [String.raw`^\p{L}+$`, "(?i)^a", String.raw`^\1$`])
    expect(readLimits({ pattern }, true)).toEqual({ pattern });
});

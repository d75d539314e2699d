import { expect, test } from "vitest";
import { formatApiKey, isWellFormed } from "../../../../src/engine/runtime/http/api-key.ts";

const random = "0123456789abcdefghijABCDEF";

test("a formatted key is prefix, 26 random characters and a checksum of six", () => {
  expect(formatApiKey("test", random)).toMatch(/^sk_test_0123456789abcdefghijABCDEF[0-9A-Za-z]{6}$/);
  expect(isWellFormed("test", formatApiKey("test", random))).toBe(true);
});

test("a key of the other environment is not well formed", () => {
  expect(isWellFormed("live", formatApiKey("test", random))).toBe(false);
});

test("one changed character anywhere breaks the checksum", () => {
  const key = formatApiKey("live", random);
  for (let at = 8; at < key.length; at++) {
    const changed = `${key.slice(0, at)}${key[at] === "x" ? "y" : "x"}${key.slice(at + 1)}`;
    expect(isWellFormed("live", changed), changed).toBe(false);
  }
});

test("a text that is no key is not well formed, and its check never throws", () => {
  for (const text of [
    "",
    "sk_test_",
    "x".repeat(10_000),
    `${formatApiKey("test", random)}\n`,
    ` ${random}`,
  ]) {
    expect(isWellFormed("test", text)).toBe(false);
  }
});

test("only base62 can be formatted", () => {
  expect(() => formatApiKey("test", "short")).toThrow(TypeError);
  expect(() => formatApiKey("test", `${random.slice(1)}-`)).toThrow(TypeError);
});

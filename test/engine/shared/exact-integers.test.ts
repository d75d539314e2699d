/** JSON whose integers are exact: those beyond 2^53 become text, and all else is what `JSON.parse` gives. */
import { expect, test } from "vitest";
import { exactText } from "../../../src/engine/shared/exact-integers.ts";
import { unitGrowth } from "../../support/cost.ts";
import { Random } from "../../support/random.ts";
import { seed } from "../../support/seed.ts";

const parseExactly = (text: string): unknown => JSON.parse(exactText(Buffer.from(text)));

test.each([
  ["9007199254740993", "9007199254740993"],
  ["-9007199254740993", "-9007199254740993"],
  ['{"id":9007199254740993}', { id: "9007199254740993" }],
  ['{"id" : 12345678901234567890 }', { id: "12345678901234567890" }],
  ["[1,9007199254740993,\n18446744073709551615]", [1, "9007199254740993", "18446744073709551615"]],
  [`[${"1,".repeat(40)}9007199254740993]`, [...Array(40).fill(1), "9007199254740993"]],
  [
    '{"a":"\\"","b":9007199254740993,"c":"9007199254740993"}',
    { a: '"', b: "9007199254740993", c: "9007199254740993" },
  ],
])("an integer that a number would round is text: %s", (text, value) => {
  expect(parseExactly(text)).toEqual(value);
});

test.each([
  "9007199254740991",
  "[1000000000000000, -1000000000000000, 0.12345678901234567, 1234567890123456.5, 1e400, 1e20]",
  '"12345678901234567890"',
  '{"12345678901234567890":" ,12345678901234567890, "}',
  '["\\\\", ": 12345678901234567890", "\\"12345678901234567890"]',
  '{"text":"ids: [12345678901234567890]","share":0.30000000000000004,"empty":""}',
])("all else is as JSON.parse gives it: %s", (text) => {
  expect(parseExactly(text)).toEqual(JSON.parse(text));
});

test.each([
  "{12345678901234567890:1}",
  "{12345678901234567890 :1}",
  "[012345678901234567890]",
  "[12345678901234567890 12345678901234567890]",
  "12345678901234567890x",
  "[+12345678901234567890]",
  "[--12345678901234567890]",
  '{"a" 12345678901234567890}',
  '"12345678901234567890',
  "[1, 12345678901234567890",
  "",
])("what is no JSON stays none: %s", (text) => {
  expect(() => parseExactly(text)).toThrow(SyntaxError);
});

test("random texts: an integer is exact at every position, and no string changes", () => {
  const drawn = new Random("integers", seed);
  const random = (most: number): number => drawn.int(most);
  const integers = [0, 1, 15, 16, 17, 20].map((length) => "9".repeat(length + 1));
  const value = (depth: number): unknown => {
    const kind = random(depth > 3 ? 3 : 5);
    if (kind === 0) return BigInt(integers[random(integers.length)] as string) * (random(2) ? 1n : -1n);
    if (kind === 1) return ` :[${integers[random(integers.length)]},"\\${" ".repeat(random(20))}`;
    if (kind === 2) return [null, true, 0.1 + random(9) / 7, "", "\\"][random(5)];
    const items = Array.from({ length: random(5) }, () => value(depth + 1));
    return kind === 3
      ? items
      : Object.fromEntries(items.map((item, index) => [`${"k".repeat(random(9))}${index}`, item]));
  };
  const write = (given: unknown, exact: boolean): string =>
    JSON.stringify(given, (_key, item) => {
      if (typeof item !== "bigint") return item;
      const isSafe = Number.isSafeInteger(Number(item));
      return exact
        ? isSafe
          ? Number(item)
          : String(item)
        : (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(item));
    });
  for (let count = 0; count < 2_000; count++) {
    const given = value(0);
    expect(parseExactly(write(given, false))).toEqual(JSON.parse(write(given, true)));
  }
});

test.each([
  ["many integers", (size: number) => `[${"12345678901234567890,".repeat(size)}0]`],
  ["one endless integer", (size: number) => `[${"1".repeat(20 * size)}]`],
  ["one endless fraction", (size: number) => `[12345678901234567890, 0.${"1".repeat(20 * size)}]`],
  // a hundred times as many: decoding a short text without such integers takes less than V8 needs for a large string
  ["integers in strings", (size: number) => `["${" 12345678901234567890".repeat(100 * size)}"]`],
  [
    "spaces after integers",
    (size: number) => `[${`12345678901234567890${" ".repeat(size / 20)},`.repeat(400)}0]`,
  ],
])("time is by the length: %s", async (_name, text) => {
  expect(await unitGrowth((size) => parseExactly(text(size)), 500, 20_000, 8)).toBeLessThan(8); // 40 with the square
});

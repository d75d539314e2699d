/** Values that have broken servers before, as JSON text: much of it is lost in JavaScript's own values. */
import fc, { type Arbitrary } from "fast-check";

const deep = (open: string, close: string, levels: number, inside = ""): string =>
  open.repeat(levels) + inside + close.repeat(levels);

/** Names that mean something to JavaScript. */
export const hostileNames = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "toJSON",
  "hasOwnProperty",
  "then",
  "length",
  "",
];

const texts = [
  "1e400",
  "-1e400",
  "-0",
  "0.1",
  "9007199254740993",
  "2147483648",
  "123456789012345678901234567890",
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\u001b[2J\\r\\nx-api-key: a"',
  '"\\u202e\\ufeff"',
  '"../../v1/messages"',
  '".."',
  '"%2e%2e%2f"',
  '"a,b&limit=1#?"',
  "{}",
  "[]",
  "[null]",
  "[[[]]]",
  "null",
  "true",
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":null}',
  '{"toJSON":1,"then":1,"length":1e9}',
  '[{"toString":null,"valueOf":null}]',
];

/** Text of one JSON value: hostile, deep, long or random. */
export const jsonText: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...texts, ...hostileNames.map((name) => JSON.stringify(name))) },
  { weight: 4, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }).map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: fc.double().map((number) => String(number).replace(/NaN|-?Infinity/, "1e999")) },
  { weight: 1, arbitrary: fc.integer({ min: 10, max: 20_000 }).map((levels) => deep("[", "]", levels)) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 10, max: 5_000 }).map((levels) => deep('{"a":', "}", levels, "1")),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 50_000 }).map((length) => `"${"a".repeat(length)}"`) },
);

/** Text of an object with some of these members; hostile names stand in between. */
export const objectText = (members: Arbitrary<[string, string]>, maxLength = 6): Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 8, arbitrary: members }, { weight: 1, arbitrary: hostileMember }), {
      maxLength,
    })
    .map((all) => `{${all.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`);

const hostileMember: Arbitrary<[string, string]> = fc.tuple(fc.constantFrom(...hostileNames), jsonText);

/** The text with a few pieces cut out, doubled, replaced or put in. */
export const mutated = (text: Arbitrary<string>, pieces: Arbitrary<string>): Arbitrary<string> =>
  fc
    .tuple(
      text,
      fc.array(fc.record({ at: fc.nat(), cut: fc.nat({ max: 8 }), put: pieces }), { maxLength: 4 }),
    )
    .map(([whole, edits]) =>
      edits.reduce((current, { at, cut, put }) => {
        const start = at % (current.length + 1);
        return current.slice(0, start) + put + current.slice(start + cut);
      }, whole),
    );

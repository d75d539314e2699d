/** Plain JSON is read without the YAML parser. The YAML parser, which reads JSON as well, says what each value and place is. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LineCounter, parseDocument, visit } from "yaml";
import { type NodePath, UnreadableSpec } from "../../../../src/engine/build/diagnostic.ts";
import { parseWithDuplicates, parseYamlFile } from "../../../../src/engine/build/openapi/yaml-file.ts";
import { seed } from "../../../support/seed.ts";

type Placed = { readonly path: NodePath; readonly line: number; readonly column: number };

/** The place of each key and each item, as the YAML parser finds it. */
function placesIn(text: string): Placed[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const found: Placed[] = [];
  const add = (path: NodePath, offset: number): void => {
    const { line, col } = lines.linePos(offset);
    found.push({ path, line, column: col });
  };
  const walk = (node: unknown, path: NodePath): void => {
    visit(node as never, {
      Pair: (_key, pair) => {
        const key = pair.key as { value: string; range: [number] };
        add([...path, key.value], key.range[0]);
        walk(pair.value, [...path, key.value]);
        return visit.SKIP;
      },
      Seq: (_key, { items }) => {
        for (const [index, item] of items.entries()) {
          add([...path, index], (item as { range: [number] }).range[0]);
          walk(item, [...path, index]);
        }
        return visit.SKIP;
      },
    });
  };
  walk(document.contents, []);
  return found;
}

// no backslash: V8 13.6 reads the key `"` as `\\` where an object of the same shape had the key `\\`
const anyKey = fc.oneof(fc.constantFrom("a", "$ref", "__proto__", '"', '""', "é:{", "1"), fc.string());
const key = anyKey.filter((text) => !text.includes("\\"));
const text = fc.oneof(fc.constantFrom("\\", '\\"', "a\\\\", "{", ":", "],"), fc.string());
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0), // JSON.stringify writes -0 as 0
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie("json"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("json")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const root = fc.array(fc.tuple(key, json), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));

test("values and places are those of the YAML parser, however the JSON is laid out", () => {
  fc.assert(
    fc.property(root, fc.constantFrom(0, 1, 2, "\t", "\r\n "), (value, space) => {
      const text = JSON.stringify(value, null, space as number);
      const file = parseYamlFile("a.json", text);
      expect(file.value).toEqual(value);
      for (const { path, line, column } of placesIn(text)) {
        expect(file.place(path)).toEqual({ file: "a.json", line, column });
        expect(file.place([...path, "nothing", "here"])).toEqual({ file: "a.json", line, column });
      }
    }),
    { numRuns: 300, seed },
  );
});

test.each([
  ["a key twice", '{ "a": 1,\n  "a": 2 }', 'the key "a" appears twice', 2],
  ["a comma at the end of nothing", '{ "a": 1,\n  "b": }}', /./, 2],
])("%s is named with its place", (_name, text, message, line) => {
  const failure = attempt(() => parseYamlFile("a.json", text));
  expect(failure?.diagnostics[0]?.message).toMatch(message);
  expect(failure?.diagnostics[0]?.rest).toMatchObject({ file: "a.json", line });
});

test("each duplicate key in a YAML map is found, with its path and location", () => {
  const text =
    "a:\n  - b: 1\n    ? [c]\n    : 2\n    b: 3\nx: {a: 1, 'a': {c: 1, \"c\": 2}}\n1: y\n<<: &m {k: 1}\n1: z\n";
  const { value, duplicateKeys } = parseWithDuplicates("a.yaml", text);
  expect(duplicateKeys.map(({ path, place }) => [path.join("/"), place.line, place.column])).toEqual([
    ["a/0/b", 5, 5],
    ["x/a", 6, 11],
    ["x/a/c", 6, 23],
    ["1", 9, 1],
  ]);
  expect(value).toMatchObject({ a: [{ b: 3 }], x: { a: { c: 2 } }, 1: "z", k: 1 });
});

test("YAML that is no JSON is read as YAML", () => {
  expect(parseYamlFile("a.yaml", "{ a: 1, 'b': [c] }").value).toEqual({ a: 1, b: ["c"] });
  expect(parseYamlFile("a.yaml", '\uFEFF{ "a": 1 }').value).toEqual({ a: 1 });
});

test("JSON that is nested too deeply is refused", () => {
  const failure = attempt(() => parseYamlFile("a.json", "[".repeat(10_000) + "]".repeat(10_000)));
  expect(failure?.message).toMatch("nested too deeply");
});

function attempt(make: () => unknown): UnreadableSpec | undefined {
  try {
    make();
  } catch (error) {
    if (error instanceof UnreadableSpec) return error;
    throw error;
  }
  return undefined;
}

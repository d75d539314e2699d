/** Text of a spec stays text: whatever a document says, the generated TypeScript has the statements of a harmless one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { buildSchema } from "graphql";
import ts from "typescript";
import { expect, test } from "vitest";
import { generate } from "../../../../src/engine/build/codegen/generate.ts";
import { literal, objectLiteral } from "../../../../src/engine/build/codegen/typescript-text.ts";
import { projectAt } from "../../../../src/engine/build/project/project.ts";
import { seed } from "../../../support/seed.ts";
import { graphqlSchema, openapi, type Slots, slots } from "./hostile-spec.ts";

const query = `query Whole($text: String = "a") { whole(text: $text) { name kind nested { items { name } } choice { ... on ComponentOne { name } } } }`;

async function generated(slot: Slots): Promise<Map<string, string>> {
  const root = mkdtempSync(join(tmpdir(), "hostile-"));
  try {
    mkdirSync(join(root, "spec/operations"), { recursive: true });
    writeFileSync(join(root, "spec/openapi.yaml"), openapi(slot));
    writeFileSync(join(root, "spec/schema.graphql"), graphqlSchema(slot));
    writeFileSync(join(root, "spec/operations/whole.graphql"), query);
    return await generate(projectAt(root).proved());
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Each slot with its own name in front, so that no two are one; what a path or a source may not hold is taken out. */
const filled = (text: (slot: string) => string): Slots =>
  Object.fromEntries(
    slots.map((slot) => {
      const value = `${slot} ${text(slot)}`.toWellFormed().replace(/%(?!2f)/g, "");
      if (slot === "path") return [slot, value.replace(/[{}]/g, "")];
      return [slot, ["key", "nested"].includes(slot) ? value.replaceAll(".", "") : value];
    }),
  ) as Slots;

/** The kinds of a file's nodes, as deep as they stand; no names, no texts and no comments. */
function shapeOf(name: string, text: string): string {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
  const faults = (file as unknown as { parseDiagnostics: ts.Diagnostic[] }).parseDiagnostics;
  expect(
    faults.map(({ messageText, start }) => `${name}: ${messageText} at ${text.slice(start).slice(0, 80)}`),
  ).toEqual([]);
  const lines: string[] = [];
  const walk = (node: ts.Node, depth: number): void => {
    lines.push(`${" ".repeat(depth)}${ts.SyntaxKind[node.kind]}`);
    node.forEachChild((child) => walk(child, depth + 1));
  };
  walk(file, 0);
  return lines.join("\n");
}

const shapesOf = (files: Map<string, string>): Record<string, string> =>
  Object.fromEntries(
    [...files].filter(([name]) => name.endsWith(".ts")).map(([name, text]) => [name, shapeOf(name, text)]),
  );

const harmless = generated(filled(() => "plain"));

async function expectHarmless(slot: Slots): Promise<void> {
  const files = await generated(slot);
  const expected = shapesOf(await harmless);
  const found = shapesOf(files);
  expect(Object.keys(found)).toEqual(Object.keys(expected));
  for (const name in expected) expect(found[name], name).toBe(expected[name]);
  const schema = buildSchema(files.get("generated/schema.graphql") ?? "");
  expect(Object.keys(schema.getTypeMap())).toEqual(
    Object.keys(buildSchema((await harmless).get("generated/schema.graphql") ?? "").getTypeMap()),
  );
  JSON.parse(files.get("generated/operations-manifest.json") ?? "");
  // no text steers an editor or a terminal from inside of a file
  const steering = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
  for (const [name, text] of files)
    expect(text.replaceAll("\n", "").match(steering)?.[0], name).toBeUndefined();
}

const pieces = [
  "*/",
  "*/ globalThis.pwned = 1; /*",
  "/*",
  "//",
  "*",
  "/",
  '"',
  "'",
  "`",
  "\u0024{globalThis.pwned = 1}",
  "\\",
  "\\'",
  "\\u002a/",
  "\n",
  "\r",
  "\u2028",
  "\u2029",
  "\u202e",
  "\u001b[2J",
  "\0",
  "\ud800",
  '"""',
  "@",
  "@deprecated",
  "{@link",
  "level(",
  "paths[",
  " property(",
  "__proto__",
  "$&",
  "$'",
  "1",
  "</script>",
  "#",
  "?",
  "%2f",
  "~1",
  "\n};\nglobalThis.pwned = 1;\nexport const x = {",
];

test.each(pieces)("%j in every slot", async (piece) => expectHarmless(filled(() => `x${piece}y`)));

/** `npm run suite -- fuzz` tries more. */
const randomCases = Number(process.env.HOSTILE_CASES ?? 5);

test("random texts in every slot", async () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: "binary", maxLength: 3 })), {
      maxLength: 5,
    })
    .map((parts) => `x${parts.join("")}`);
  const spec = fc
    .tuple(...slots.map(() => text))
    .map((texts) => filled((slot) => texts[slots.indexOf(slot as never)] ?? ""));
  await fc.assert(fc.asyncProperty(spec, expectHarmless), {
    numRuns: randomCases,
    seed,
    endOnFailure: true,
  });
});

test.each(["path", "operationId", "component"])("a %% in the %s is a finding", async (slot) => {
  const spec = filled(() => "plain");
  await expect(generated({ ...spec, [slot]: "50 % off" })).rejects.toThrow(
    "openapi.yaml: a path, an operationId, a component or a property has a % in its name that openapi-typescript cannot read",
  );
});

test("a property named as an expression is no shorthand, and __proto__ is a name like others", () => {
  expect(objectLiteral([["args.id", "args.id"]])).toBe('{ "args.id": args.id }');
  expect(literal({ a: [JSON.parse('{"__proto__": 1}')] })).toBe('{"a":[{["__proto__"]:1}]}');
  const quoted = String.raw`{"a\"__proto__":1}`; // a key that ends so, and no key of its own
  expect(literal(JSON.parse(quoted))).toBe(quoted);
});

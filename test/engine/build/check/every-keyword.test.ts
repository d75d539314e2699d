/**
 * Every keyword of JSON Schema 2020-12 and OpenAPI that can reject what a binding sends: `check --base` tells of it where the
 * document adds it. A keyword without a row fails the test.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { keywords } from "../../../../src/engine/build/bind/inputs/keyword-verdict.ts";
import { examine } from "../../../../src/engine/build/check/check.ts";
import { conditionKeywords } from "../../../../src/engine/build/openapi/shapes/read-shape.ts";
import { validProject } from "./mutations/pair.ts";

type Json = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const properties: Json = { a: text, b: text, n: { type: "integer" }, list: { type: "array", items: text } };
const object: Json = { type: "object", required: ["a"], properties };

/** A document of an operation that takes the object, and a parameter. */
function openapi(
  body: Json,
  parameter: Json = {},
  operation: Json = {},
  media: Json = {},
  whole: Json = {},
): string {
  const ok = { 200: { description: "ok", content: { "application/json": { schema: text } } } };
  const send = {
    operationId: "send",
    parameters: [{ name: "q", in: "query", schema: { type: "array", items: text }, ...parameter }],
    requestBody: { content: { "application/json": { schema: body, ...media } }, ...whole },
    responses: ok,
    ...operation,
  };
  const read = { operationId: "read", responses: ok };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    servers: [{ url: "https://one.example" }],
    security: [],
    paths: { "/send": { post: send, get: read } },
    components: {
      schemas: { Short: { type: "string", maxLength: 3 } },
      securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } },
    },
  });
}

const schema = `type Query { read: String @rest(operation: "read") }
type Mutation { send(input: In!, q: [String!]): String @rest(operation: "send", body: "args.input") }
input In { a: String! b: String n: Int list: [String!] }`;

/** The rules of what `check --base` finds, but for what it finds without a base of the first document. */
function found(was: string, is: string, sdl = schema): string[] {
  const project = (text: string) =>
    validProject(new Map(Object.entries({ "schema.graphql": sdl, "openapi.yaml": text })));
  const base = project(was);
  const head = project(is);
  const known = new Set(base.diagnostics.map(({ rule, message }) => `${rule} ${message}`));
  const { findings } = examine(head, base, "2026-01-01");
  return findings.flatMap(({ rule, message, change }) =>
    known.has(`${rule} ${message.replace("; the base has this finding too", "")}`)
      ? []
      : change
        ? `${change} ${rule}`
        : rule,
  );
}

const at = (name: string, more: Json): Json => ({
  ...object,
  properties: { ...properties, [name]: { ...(properties[name] as Json), ...more } },
});
const whole = (more: Json): Json => ({ ...object, ...more });

const limit = "breaking rest-limit-changed";
const unchecked = "breaking limit-unchecked";
const refused = "breaking request-refused";

/** Keyword → the object with it, the findings, and the object before. */
const rows: Readonly<Record<string, readonly [is: Json, rules: readonly string[], was?: Json]>> = {
  $ref: [{ ...object, properties: { ...properties, a: { $ref: "#/components/schemas/Short" } } }, [limit]],
  $dynamicRef: [at("a", { $dynamicRef: "#node" }), [unchecked]],
  $recursiveRef: [at("a", { $recursiveRef: "#" }), [unchecked]],
  allOf: [at("a", { allOf: [{ maxLength: 3 }] }), [limit]],
  anyOf: [whole({ anyOf: [{ required: ["b"] }, { required: ["n"] }] }), [unchecked]],
  oneOf: [whole({ oneOf: [{ required: ["a"] }, { required: ["b"] }] }), [unchecked]],
  not: [whole({ not: { required: ["a"] } }), [refused]],
  if: [whole(conditional("a", "then", "b")), [unchecked]],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: [whole(conditional("a", "then", "b")), [unchecked], whole({ if: { required: ["a"] } })],
  else: [whole(conditional("b", "else", "n")), [unchecked], whole({ if: { required: ["b"] } })],
  dependentRequired: [whole({ dependentRequired: { a: ["b"] } }), [unchecked]],
  dependentSchemas: [whole({ dependentSchemas: { a: { required: ["b"] } } }), [unchecked]],
  dependencies: [whole({ dependencies: { a: ["b"] } }), [unchecked]],
  propertyNames: [whole({ propertyNames: { maxLength: 0 } }), [refused]],
  minProperties: [whole({ minProperties: 2 }), [unchecked]],
  maxProperties: [whole({ maxProperties: 3 }), [unchecked]],
  properties: [at("a", { maxLength: 3 }), [limit]],
  patternProperties: [whole({ patternProperties: { "^a$": { maxLength: 3 } } }), [unchecked]],
  additionalProperties: [
    { type: "object", allOf: [object], additionalProperties: false },
    [unchecked],
    { type: "object", allOf: [object] },
  ],
  unevaluatedProperties: [
    {
      ...object,
      properties: { a: text, n: { type: "integer" } },
      anyOf: choice(),
      unevaluatedProperties: false,
    },
    [unchecked],
    { ...object, properties: { a: text, n: { type: "integer" } }, anyOf: choice() },
  ],
  required: [whole({ required: ["a", "b"] }), ["breaking input-nullable"]],
  items: [at("list", { items: { type: "string", maxLength: 3 } }), [limit]],
  prefixItems: [at("list", { prefixItems: [{ maxLength: 3 }] }), [unchecked]],
  additionalItems: [at("list", { additionalItems: false }), [unchecked]],
  unevaluatedItems: [
    {
      ...object,
      properties: { ...properties, list: { type: "array", prefixItems: [text], unevaluatedItems: false } },
    },
    [unchecked],
    { ...object, properties: { ...properties, list: { type: "array", prefixItems: [text] } } },
  ],
  contains: [at("list", { contains: { const: "x" } }), [unchecked]],
  minContains: [
    at("list", { minItems: 1, contains: text, minContains: 2 }),
    [unchecked],
    at("list", { minItems: 1, contains: text }),
  ],
  maxContains: [
    at("list", { minItems: 1, contains: text, maxContains: 2 }),
    [unchecked],
    at("list", { minItems: 1, contains: text }),
  ],
  type: [at("a", { type: "integer" }), ["breaking input-type"]],
  enum: [at("a", { enum: ["x"] }), ["breaking rest-enum-changed"]],
  const: [at("a", { const: "x" }), ["breaking rest-enum-changed"]],
  multipleOf: [at("n", { multipleOf: 2 }), [limit]],
  maximum: [at("n", { maximum: 2 }), [limit]],
  exclusiveMaximum: [at("n", { exclusiveMaximum: 2 }), [limit]],
  minimum: [at("n", { minimum: 2 }), [limit]],
  exclusiveMinimum: [at("n", { exclusiveMinimum: 2 }), [limit]],
  maxLength: [at("a", { maxLength: 2 }), [limit]],
  minLength: [at("a", { minLength: 2 }), [limit]],
  pattern: [at("a", { pattern: "^x" }), [limit]],
  maxItems: [at("list", { maxItems: 2 }), [limit]],
  minItems: [at("list", { minItems: 2 }), [limit]],
  uniqueItems: [at("list", { uniqueItems: true }), [limit]],
  format: [at("a", { format: "date" }), ["breaking rest-format-changed"]],
  contentEncoding: [at("a", { contentEncoding: "base64" }), [limit]],
  contentMediaType: [at("a", { contentMediaType: "application/json" }), [limit]],
  contentSchema: [at("a", { contentSchema: { type: "object" } }), [limit]],
  readOnly: [at("b", { readOnly: true }), ["breaking property-missing"]],
  nullable: [at("b", { nullable: false }), ["breaking rest-nullable-changed"], at("b", { nullable: true })],
  // the values that choose a member decide nothing where no member is told by them
  discriminator: [whole({ discriminator: { propertyName: "a" } }), []],
  deprecated: [at("b", { deprecated: true }), ["deprecation-unsaid"]],
  ...Object.fromEntries(
    [
      "$id",
      "$schema",
      "$anchor",
      "$dynamicAnchor",
      "$recursiveAnchor",
      "$vocabulary",
      "$comment",
      "$defs",
      "definitions",
      "title",
      "description",
      "default",
      "writeOnly",
      "examples",
      "example",
      "xml",
      "externalDocs",
    ].map((keyword) => [keyword, [at("b", { [keyword]: keyword === "writeOnly" ? true : "x" }), []]]),
  ),
};

/** What else is required where a property is sent, or where it is not. */
function conditional(property: string, keyword: "then" | "else", demanded: string): Json {
  return { if: { required: [property] }, [keyword]: { required: [demanded] } };
}

/** `b` is a property of a choice's members alone. */
function choice(): Json[] {
  return [{ properties: { b: text, list: { type: "array", items: text } } }, { properties: { c: text } }];
}

/** The keywords of the vocabularies, and those that OpenAPI 3.0 and 3.1 add. */
function allKeywords(): string[] {
  const folder = join(
    dirname(createRequire(import.meta.url).resolve("ajv/package.json")),
    "dist/refs/json-schema-2020-12",
  );
  const files = ["schema.json", ...readdirSync(join(folder, "meta")).map((file) => join("meta", file))];
  const own = files.flatMap((file) =>
    Object.keys(JSON.parse(readFileSync(join(folder, file), "utf8")).properties),
  );
  return [
    ...new Set([...own, "nullable", "discriminator", "xml", "externalDocs", "example", "additionalItems"]),
  ].sort();
}

test("every keyword of JSON Schema and of OpenAPI's schemas is decided", () => {
  expect(Object.keys(rows).sort()).toEqual(allKeywords());
  expect(Object.keys(keywords).sort()).toEqual(allKeywords());
});

test("every keyword that the proof decides by itself is one that it looks for", () => {
  for (const keyword of conditionKeywords) expect(keywords[keyword]).toBeTypeOf("function");
});

test.each(Object.entries(rows).map(([keyword, row]) => [keyword, ...row] as const))(
  "%s, where a document adds it",
  (_keyword, is, rules, was = object) => {
    expect(found(openapi(was), openapi(is))).toEqual(rules);
    expect(found(openapi(is), openapi(is))).toEqual([]);
  },
);

/** Fields of OpenAPI's objects around a schema → the document with it, and the findings. */
const around: Readonly<Record<string, readonly [is: string, rules: readonly string[], was?: string]>> = {
  "parameter.required": [openapi(object, { required: true }), ["breaking input-nullable"]],
  "parameter.in": [openapi(object, { in: "header" }), ["breaking rest-parameter-moved"]],
  "parameter.name": [openapi(object, { name: "p" }), ["breaking argument-unused"]],
  "parameter.style": [
    openapi(object, { style: "pipeDelimited", explode: false }),
    ["breaking rest-style-changed"],
  ],
  "parameter.explode": [openapi(object, { explode: false }), ["breaking rest-style-changed"]],
  "parameter.allowEmptyValue": [openapi(object), [limit], openapi(object, { allowEmptyValue: true })],
  "parameter.content": [
    openapi(object, {
      schema: undefined,
      content: { "application/json": { schema: { type: "array", items: text } } },
    }),
    ["breaking rest-style-changed"],
  ],
  // this layer encodes reserved characters
  "parameter.allowReserved": [openapi(object), [], openapi(object, { allowReserved: true })],
  "requestBody.required": [openapi(object, {}, {}, {}, { required: true }), []],
  "requestBody.content": [
    openapi(
      object,
      {},
      { requestBody: { content: { "application/x-www-form-urlencoded": { schema: object } } } },
    ),
    ["breaking rest-body-changed"],
  ],
  "operation.security": [
    openapi(object, {}, { security: [{ key: [] }] }),
    ["breaking rest-security-changed"],
  ],
  "operation.servers": [
    openapi(object, {}, { servers: [{ url: "https://two.example" }] }),
    ["server-ignored"],
  ],
};

test.each(Object.entries(around).map(([field, row]) => [field, ...row] as const))(
  "%s, where a document changes it",
  (_field, is, rules, was = openapi(object)) => {
    expect(found(was, is)).toEqual(rules);
  },
);

const ways: readonly (readonly [what: string, sdl: string])[] = [
  [
    "properties that arguments feed",
    schema
      .replace("(input: In!, q: [String!])", "(a: String!, b: String, q: [String!])")
      .replace(', body: "args.input"', ""),
  ],
  ["a scalar of the schema's own", `${schema.replace("input: In!", "input: JSON!")} scalar JSON`],
  [
    "constants",
    schema
      .replace("(input: In!, q: [String!])", "(q: [String!])")
      .replace('body: "args.input"', 'params: [{ name: "a", value: "x" }]'),
  ],
];

test.each(ways)("conditions hold for %s, too", (what, sdl) => {
  const rules = (more: Json) => found(openapi(object), openapi(whole(more)), sdl);
  const isConstant = what === "constants";
  const isScalar = what.startsWith("a scalar");
  expect(rules({ minProperties: 2 })).toEqual([isConstant ? refused : isScalar ? limit : unchecked]);
  expect(rules({ not: { required: ["a"] } })).toEqual([isScalar ? limit : refused]);
  expect(rules({ minProperties: 1 })).toEqual(isScalar ? [limit] : []);
});

test("a constant is checked against every keyword of its schema", () => {
  const sdl = schema
    .replace("(input: In!, q: [String!])", "(q: [String!])")
    .replace('body: "args.input"', 'params: [{ name: "a", value: "x" }]');
  const rules = (more: Json) => found(openapi(object), openapi(at("a", more)), sdl);
  expect(rules({ not: { const: "x" } })).toEqual([refused]);
  expect(rules({ not: { const: "y" } })).toEqual([]);
});

test.each<[what: string, was: Json, is: Json, rules: readonly string[]]>([
  ["required by any of", object, whole({ anyOf: [{ required: ["a"] }, { required: ["b"] }] }), []],
  [
    "required by one of, if the others never are",
    object,
    whole({ oneOf: [{ required: ["a"] }, { required: ["z"] }] }),
    [],
  ],
  [
    "fewer properties at least",
    whole({ minProperties: 3 }),
    whole({ minProperties: 2 }),
    ["limit-unchecked"],
  ],
  ["more properties at least", whole({ minProperties: 2 }), whole({ minProperties: 3 }), [unchecked]],
  [
    "what the types grant",
    object,
    whole({ minProperties: 1, maxProperties: 4, dependentRequired: { b: ["a"] } }),
    [],
  ],
  ["names that all fit", object, whole({ propertyNames: { pattern: "^[a-z]+$" } }), []],
  ["a pattern for no name", object, whole({ patternProperties: { "^x-": { maxLength: 3 } } }), []],
  ["a closed object", object, whole({ additionalProperties: false, unevaluatedProperties: false }), []],
  ["a condition of a nested value", object, at("list", { contains: { const: "x" }, minContains: 0 }), []],
  ["a referenced condition", object, whole({ allOf: [{ minProperties: 2 }] }), [unchecked]],
])("%s", (_what, was, is, rules) => {
  expect(found(openapi(was), openapi(is))).toEqual(rules);
});

test("a limit that REST often does not enforce is a note, another one a warning, and an edit that adds one is breaking", () => {
  const severities = (body: Json): string[] => {
    const files = { "schema.graphql": schema, "openapi.yaml": openapi(body) };
    const { findings } = examine(validProject(new Map(Object.entries(files))), undefined, "2026-01-01");
    return findings.flatMap(({ rule, severity }) => (rule === "limit-unchecked" ? severity : []));
  };
  const alternatives = whole({ anyOf: [{ required: ["b"] }, { required: ["n"] }] });
  expect(severities(alternatives)).toEqual(["note"]);
  expect(severities(whole({ minProperties: 2 }))).toEqual(["warning"]);
  expect(found(openapi(object), openapi(alternatives))).toEqual(["breaking limit-unchecked"]);
});

/** `false` (JSON Schema 2020-12 §4.3.2) and `type: null` at every place of a schema. */
test.each<[what: string, name: string, never: unknown]>([
  ["a property", "b", false],
  ["a required property", "a", false],
  ["a part of allOf", "b", { allOf: [text, false] }],
  ["items", "list", { type: "array", items: false }],
  ["null alone", "b", { type: "null" }],
])("a schema that no text fits refuses the request: %s", (_what, name, never) => {
  const is = { ...object, properties: { ...properties, [name]: never } };
  expect(found(openapi(object), openapi(is))).toEqual([refused]);
});

test("null beside another type is no refusal", () => {
  const is = { ...object, properties: { ...properties, b: { anyOf: [text, { type: "null" }] } } };
  expect(found(openapi(object), openapi(is))).toEqual([]);
});

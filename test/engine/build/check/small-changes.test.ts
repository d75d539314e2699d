/** Statements of a schema that say the same in other words, beside those that say less or more. */
import { expect, test } from "vitest";
import { stepFindings } from "./in-memory.ts";

const document = (answers: string, parameter = "{ type: string }", schemas = ""): string => `openapi: 3.1.0
info: { title: t, version: "1" }
security: []
paths:
  /things:
    get:
      operationId: things
      parameters: [{ name: by, in: query, schema: ${parameter} }]
      responses: ${answers}
${schemas}`;

const json = (schema: string): string =>
  `{ description: ok, content: { application/json: { schema: ${schema} } } }`;
const texts = `{ "200": ${json("{ type: array, items: { type: string } }")} }`;

const told = (type: string, was: string, is: string): string[] =>
  stepFindings(
    `type Query { things(by: ${type}): [String!] @rest(operation: "things") }`,
    document(texts, was),
    document(texts, is),
  ).map(({ message }) => message.replace('GET /things query "by" ', ""));

test.each([
  ["Int", "{ type: integer, maximum: 9 }", "{ type: integer, exclusiveMaximum: 10 }"],
  ["Int", "{ type: integer, exclusiveMinimum: 0 }", "{ type: integer, minimum: 1 }"],
  ["Int", "{ type: integer, multipleOf: 4 }", "{ type: integer, multipleOf: 2 }"],
  ["Int", "{ type: integer }", "{ type: integer, multipleOf: 1 }"],
  ["String", "{ type: string }", "{ type: string, minLength: 0 }"],
  ["String", "{ type: string, pattern: '^a$' }", "{ type: string }"],
  [
    "[String!]",
    "{ type: array, items: { type: string }, uniqueItems: true }",
    "{ type: array, items: { type: string }, uniqueItems: false }",
  ],
])("%s: REST takes all that it took of %s in %s", (type, was, is) => {
  expect(told(type, was, is)).toEqual([]);
});

test.each([
  [
    "Float",
    "{ type: number, maximum: 9 }",
    "{ type: number, exclusiveMaximum: 9 }",
    "has exclusiveMaximum 9 now, it had maximum 9",
  ],
  ["Int", "{ type: integer, maximum: 9 }", "{ type: integer, maximum: 8 }", "has maximum 8 now, it was 9"],
  [
    "Int",
    "{ type: integer, multipleOf: 2 }",
    "{ type: integer, multipleOf: 3 }",
    "has multipleOf 3 now, it was 2",
  ],
  ["String", "{ type: string }", "{ type: string, minLength: 1 }", "has minLength 1 now, it was unset"],
  [
    "String",
    "{ type: string, pattern: '^a$' }",
    "{ type: string, pattern: '^b$' }",
    'has pattern "^b$" now, it was "^a$"',
  ],
  [
    "[String!]",
    "{ type: array, items: { type: string } }",
    "{ type: array, items: { type: string }, uniqueItems: true }",
    "has uniqueItems true now, it was unset",
  ],
])("%s: REST takes less than %s in %s", (type, was, is, message) => {
  expect(told(type, was, is)).toEqual([message]);
});

const named = `type Query { things: [Thing!] @rest(operation: "things") }
type Thing { state: State }
enum State { IN_USE SOLD }`;
const listed = (property: string): string =>
  document(`{ "200": ${json(`{ type: array, items: { type: object, properties: { ${property} } } }`)} }`);

test("an enum whose values are named by convention is not a second finding when its property is removed", () => {
  const state = "state: { type: string, enum: [in-use, sold] }";
  expect(stepFindings(named, listed(state), listed("other: { type: string }"))).toMatchObject([
    { rule: "property-missing", coordinates: ["Thing.state"] },
  ]);
  const dropped = stepFindings(named, listed(state), listed("state: { type: string }"));
  expect(dropped).toMatchObject([{ rule: "output-type", coordinates: ["Thing.state"] }]);
});

test("two answers of one operation are each held against their own", () => {
  const object = "{ type: object, properties: { a: { type: string } } }";
  const answers = (items: string): string =>
    `{ "200": ${json(`{ type: array, items: ${items} }`)}, "202": ${json(object)} }`;
  const schema = 'scalar JSON\ntype Query { things: JSON @rest(operation: "things") }';
  const described = object.replace("{", "{ description: other words,");
  expect(stepFindings(schema, document(answers(object)), document(answers(described)))).toEqual([]);
});

/** What tells the two things apart. */
const toldApartBy = (
  discriminator: string,
  kind = (value: string) => `{ type: string, const: ${value} }`,
): string =>
  document(
    `{ "200": ${json("{ type: array, items: { $ref: '#/components/schemas/Thing' } }")} }`,
    undefined,
    `components:
  schemas:
    Thing:
      oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }]
      ${discriminator}
    Cat: { type: object, required: [kind], properties: { kind: ${kind("cat")}, lives: { type: integer } } }
    Dog: { type: object, required: [kind], properties: { kind: ${kind("dog")}, tail: { type: integer } } }`,
  );

const things = `type Query { things: [Thing!] @rest(operation: "things") }
union Thing = Cat | Dog
type Cat { lives: Int } type Dog { tail: Int }`;
const byKind = `discriminator: { propertyName: kind, mapping: { cat: "#/components/schemas/Cat", dog: "#/components/schemas/Dog" } }`;

test("a removed discriminator is no finding where each member has a distinct constant: the same value selects it", () => {
  expect(stepFindings(things, toldApartBy(byKind), toldApartBy(""))).toEqual([]);
});

test("a removed discriminator is a finding where nothing else distinguishes the members", () => {
  const text = (): string => "{ type: string }";
  expect(stepFindings(things, toldApartBy(byKind, text), toldApartBy("", text))).toMatchObject([
    { rule: "discriminator-missing", change: "breaking" },
  ]);
});

test("a value of type JSON that gets another type is one finding, and not a removed member as well", () => {
  const schema = 'scalar JSON\ntype Query { things(by: JSON): [String!] @rest(operation: "things") }';
  const either = (type: string): string =>
    `{ oneOf: [{ type: ${type} }, { type: array, items: { type: string } }] }`;
  const [was, is] = [either("string"), either("integer")].map((each) => document(texts, each));
  expect(stepFindings(schema, was ?? "", is ?? "")).toMatchObject([{ rule: "rest-type-changed" }]);
});

test("what REST requires of a value that passes as JSON is one finding, and so is a property with another name", () => {
  const schema =
    'scalar JSON\ntype Query { nothing: Boolean @rest(operation: "things") }\ntype Mutation { add(it: JSON): Boolean @rest(operation: "add", body: "args.it") }';
  const adding = (object: string): string => `${document(`{ "200": ${json("{ type: boolean }")} }`)}
    post:
      operationId: add
      requestBody: { content: { application/json: { schema: { type: object, ${object} } } } }
      responses: { "200": ${json("{ type: boolean }")} }
`;
  const base = adding("properties: { a: { type: string }, b: { type: string } }");
  const all = adding("required: [a, b], properties: { a: { type: string }, b: { type: string } }");
  expect(stepFindings(schema, base, all).map(({ message }) => message)).toEqual([
    "POST /things body.a is required now, and so is b",
  ]);
  const named = adding("required: [a2], properties: { a2: { type: string }, b: { type: string } }");
  expect(stepFindings(schema, base, named)).toMatchObject([{ rule: "rest-property-removed" }]);
});

test("what a list of required properties no longer names is one finding, and so is what an emptied object had", () => {
  const shown = `type Query { things: [Thing!] @rest(operation: "things") }
type Thing { a: Int! b: Int! }`;
  const of = (object: string): string =>
    document(`{ "200": ${json(`{ type: array, items: { type: object, ${object} } }`)} }`);
  const both = "properties: { a: { type: integer }, b: { type: integer } }";
  const coordinates = ["Thing.a", "Thing.b"];
  const base = of(`required: [a, b], ${both}`);
  expect(stepFindings(shown, base, of(both))).toMatchObject([{ rule: "output-nullable", coordinates }]);
  const emptied = of("required: [a, b], properties: {}");
  expect(stepFindings(shown, base, emptied)).toMatchObject([{ rule: "property-missing", coordinates }]);
});

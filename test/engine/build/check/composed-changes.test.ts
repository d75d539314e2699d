/** The changes of composed schemas: members of a `oneOf` without names, and the two ways in which a value is missing. */
import { expect, test } from "vitest";
import { examine } from "../../../../src/engine/build/check/check.ts";
import type { SpecChange } from "../../../../src/engine/build/check/report.ts";
import { isValid, Project } from "../../../../src/engine/build/project/project.ts";

const schemaText = `type Query { answer: Answer @rest(operation: "answer") }
type Answer { name: String }
`;

const openapi = (schema: object): string =>
  JSON.stringify(
    {
      openapi: "3.1.0",
      info: { title: "Answers", version: "1" },
      paths: {
        "/answer": {
          get: {
            operationId: "answer",
            responses: { 200: { description: "it", content: { "application/json": { schema } } } },
          },
        },
      },
    },
    null,
    2,
  );

const snapshot = (rest: string, schema = schemaText) =>
  new Project({
    read: (name) => (name === "openapi.yaml" ? rest : name === "schema.graphql" ? schema : undefined),
    list: () => [],
  });

function changesBetween(
  before: string,
  after: string,
  schema = schemaText,
): Pick<SpecChange, "class" | "message">[] {
  const base = snapshot(before, schema);
  const head = snapshot(after, schema);
  if (!isValid(base)) throw new Error("no model");
  const { changes } = examine(head, base, "2026-01-01");
  return changes.map((change) => ({ class: change.class, message: change.message }));
}

const name = { type: "string" };
const person = { type: "object", properties: { name, age: { type: "integer" } } };
const firm = { type: "object", properties: { name, seat: { type: "string" } } };
const list = { type: "array", items: { type: "string" } };
const at = "GET /answer answer";

test("a comment appended to a document with unnamed members changes nothing", () => {
  const text = openapi({ oneOf: [person, firm, list] });
  expect(changesBetween(text, `${text}\n# a comment\n`)).toEqual([]);
});

test("unnamed members that change their places change nothing", () => {
  expect(changesBetween(openapi({ oneOf: [person, firm] }), openapi({ oneOf: [firm, person] }))).toEqual([]);
});

const strict = schemaText.replace("name: String", "name: String!");
const always = { ...person, required: ["name"] };
const never = { ...firm, required: ["name"] };

test("a field of what several members share rests on all of them", () => {
  const numbered = { ...firm, properties: { ...firm.properties, name: { type: "integer" } } };
  const dated = { ...firm, properties: { ...firm.properties, name: { type: "string", format: "date" } } };
  expect(changesBetween(openapi({ oneOf: [person, firm] }), openapi({ oneOf: [person, numbered] }))).toEqual([
    { class: "breaking", message: "Answer.name is String, but REST sends integer or string" },
  ]);
  const both = openapi({ oneOf: [dated, dated] });
  expect(changesBetween(both, openapi({ oneOf: [dated, firm] }))).toEqual([
    { class: "dangerous", message: `${at}.name has no format now, it had date` },
  ]);
  const required = openapi({ oneOf: [always, never] });
  expect(changesBetween(required, openapi({ oneOf: [always, firm] }), strict)).toEqual([
    { class: "breaking", message: "Answer.name is String!, but REST may leave it out" },
  ]);
});

test("a member that no field can show is one break", () => {
  expect(
    changesBetween(openapi({ oneOf: [person, firm] }), openapi({ oneOf: [person, firm, list] })),
  ).toEqual([{ class: "breaking", message: "Query.answer is Answer, but REST sends array or object" }]);
});

const answer = (required: boolean, isNullable: boolean): string =>
  openapi({
    type: "object",
    required: required ? ["name"] : [],
    properties: { name: { type: isNullable ? ["string", "null"] : "string" } },
  });

test("what may be missing or null now breaks a field that says `!`, once, and no field that may be null", () => {
  for (const [before, after] of [
    [answer(true, false), answer(true, true)],
    [answer(true, false), answer(false, false)],
    [answer(true, false), answer(false, true)],
    [answer(false, false), answer(true, true)],
    [answer(true, true), answer(false, false)],
  ] as const) {
    expect(changesBetween(before, after)).toEqual([]);
    const found = changesBetween(before, after, strict);
    expect(found).toHaveLength(before === answer(true, false) ? 1 : 0);
  }
});

test("a schema that may be null now breaks the fields that always had a value, in one finding where it happened", () => {
  const owned = (type: unknown): string => {
    const owner = { $ref: "#/components/schemas/Person" };
    const schema = {
      type: "object",
      required: ["owner", "deputy"],
      properties: { owner, deputy: owner, name },
    };
    const document = JSON.parse(openapi(schema)) as Record<string, unknown>;
    return JSON.stringify({ ...document, components: { schemas: { Person: { ...person, type } } } }, null, 2);
  };
  const sdl = `type Query { answer: Answer @rest(operation: "answer") }
type Answer {
  name: String
  owner: Person!
  deputy: Person!
  other: Person @restName(name: "owner")
}
type Person { name: String }
`;
  const base = snapshot(owned("object"), sdl);
  const text = owned(["object", "null"]);
  if (!isValid(base)) throw new Error("no model");
  const { findings } = examine(snapshot(text, sdl), base, "2026-01-01");
  const [found, ...others] = findings.filter(({ change }) => change);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ rule: "output-nullable", coordinates: ["Answer.owner", "Answer.deputy"] });
  const line = text.split("\n").findIndex((each) => each.includes('"Person"')) + 2;
  expect(found?.places.find(({ role }) => role === "rest")?.line).toBe(line);
});

test("an integer of 64 bits stays one beside a member without a format, and a member with 64 bits breaks a Float", () => {
  const wide = { type: "integer", format: "int64" };
  const bare = { type: "integer" };
  const id = (...members: object[]): string =>
    openapi({
      type: "object",
      properties: { name, id: members.length > 1 ? { oneOf: members } : members[0] },
    });
  const ofFormat = (before: string, after: string) =>
    changesBetween(
      before,
      after,
      'type Query { answer: Answer @rest(operation: "answer") } type Answer { id: Float }',
    );
  expect(ofFormat(id(wide), id(wide, bare))).toEqual([]);
  expect(ofFormat(id(wide), id(bare))).toEqual([]);
  expect(ofFormat(id(bare), id(bare, wide))).toMatchObject([{ class: "breaking" }]);
});

test("a property that no longer refers to a shared schema changes by its own name", () => {
  const document = (contact: object): string =>
    openapi({ type: "object", properties: { name, contact } }).replace(
      '"paths"',
      '"components": { "schemas": { "Id": { "type": "string", "enum": ["a"] } } }, "paths"',
    );
  const own = { type: "string", enum: ["a", "b"] };
  const contact = 'type Answer { contact: ID owner: ID @restName(name: "contact") }';
  const base = snapshot(
    document({ $ref: "#/components/schemas/Id" }),
    schemaText.replace(/type Answer.*/, contact),
  );
  const head = snapshot(document(own), schemaText.replace(/type Answer.*/, contact));
  if (!isValid(base)) throw new Error("no model");
  const { changes, findings } = examine(head, base, "2026-01-01");
  expect(changes.map(({ message }) => message)).toEqual([`${at}.contact may be "b" too now`]);
  expect(findings.find(({ stage }) => stage === "changes")?.coordinates).toEqual([
    "Answer.contact",
    "Answer.owner",
  ]);
});

/** The changes with the fields that they reach: two fields rest on the property `contact`, and one on `deputy`. */
function reached(before: object, after: object): unknown[] {
  const type = 'type Answer { contact: ID owner: ID @restName(name: "contact") deputy: ID }';
  const schemas = JSON.stringify({ Id: { type: "string" }, Number: { type: "integer" } });
  const [base, head] = [before, after].map((properties) =>
    snapshot(
      openapi({ type: "object", properties }).replace(
        '"paths"',
        `"components": { "schemas": ${schemas} }, "paths"`,
      ),
      schemaText.replace(/type Answer.*/, type),
    ),
  );
  if (!base || !isValid(base) || !head) throw new Error("no model");
  const { changes } = examine(head, base, "2026-01-01");
  return changes.map(({ message, coordinates }) => [message, coordinates]);
}

test("a property that no longer refers to a shared schema reaches no other use of that schema", () => {
  const [id, number] = ["Id", "Number"].map((schema) => ({ $ref: `#/components/schemas/${schema}` }));
  const integer = { type: "integer" };
  const now = "is integer now, it was string";
  const ofContact = [`${at}.contact ${now}`, ["Answer.contact", "Answer.owner"]];
  const base = { contact: id, deputy: id };
  expect(reached(base, { contact: integer, deputy: id })).toEqual([ofContact]);
  expect(reached(base, { contact: number, deputy: id })).toEqual([ofContact]);
  expect(reached({ ...base, contact: { allOf: [id] } }, { contact: integer, deputy: id })).toEqual([
    ofContact,
  ]);
  expect(reached(base, { contact: integer, deputy: integer })).toEqual([
    ofContact,
    [`${at}.deputy ${now}`, ["Answer.deputy"]],
  ]);
  expect(reached(base, { contact: number, deputy: number })).toEqual([
    ofContact,
    [`${at}.deputy ${now}`, ["Answer.deputy"]],
  ]);
});

test("a property that several schemas have by allOf is gone once", () => {
  const ref = (schema: string): object => ({ $ref: `#/components/schemas/${schema}` });
  const document = (properties: object): string => {
    const schemas = {
      Person: { type: "object", properties: { name, ...properties } },
      Author: { type: "object", allOf: [ref("Person")] },
      Editor: { type: "object", allOf: [ref("Person")] },
    };
    const answer = { type: "object", properties: { author: ref("Author"), editor: ref("Editor") } };
    return openapi(answer).replace('"paths"', `"components": ${JSON.stringify({ schemas })}, "paths"`);
  };
  const sdl = `type Query { answer: Answer @rest(operation: "answer") }
type Answer { author: Author editor: Editor }
type Author { name: String nick: String }
type Editor { name: String nick: String }
`;
  const base = snapshot(document({ nick: name }), sdl);
  const head = snapshot(document({}), sdl);
  if (!isValid(base)) throw new Error("no model");
  const { changes } = examine(head, base, "2026-01-01");
  expect(changes.map(({ rule, coordinates }) => [rule, coordinates])).toEqual([
    ["property-missing", ["Author.nick", "Editor.nick"]],
  ]);
});

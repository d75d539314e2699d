/** The changes of composed schemas: members of a `oneOf` without names, and the two ways in which a value is missing. */
import { expect, test } from "vitest";
import { loadSnapshot } from "../../src/engine/bind/spec-snapshot.ts";
import { examine } from "../../src/engine/check/check.ts";
import type { SpecChange } from "../../src/engine/check/report.ts";

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
  loadSnapshot({
    read: (name) => (name === "openapi.yaml" ? rest : name === "schema.graphql" ? schema : undefined),
    list: () => [],
  });

function changesBetween(before: string, after: string): Pick<SpecChange, "class" | "message">[] {
  const base = snapshot(before);
  const head = snapshot(after);
  if (!base.model) throw new Error("no model");
  const { changes } = examine(head, { ...base, model: base.model, name: "base" }, "2026-01-01");
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

test("a changed unnamed member is compared with the member that it was", () => {
  const older = { ...person, properties: { ...person.properties, age: { type: "string" } } };
  expect(changesBetween(openapi({ oneOf: [firm, person] }), openapi({ oneOf: [older, firm] }))).toEqual([
    { class: "breaking", message: `${at}<object>.age is string now, it was integer` },
  ]);
});

test("a new member is no danger to a field that is no union", () => {
  const discriminator = { propertyName: "name" };
  const named = (title: string): object => ({
    ...person,
    required: ["name"],
    properties: { ...person.properties, name: { const: title } },
  });
  const [one, two] = [named("one"), named("two")];
  expect(
    changesBetween(openapi({ oneOf: [one], discriminator }), openapi({ oneOf: [one, two], discriminator })),
  ).toContainEqual({ class: "safe", message: `${at} has the new member two` });
});

test("an unnamed member that is new or gone is a change", () => {
  expect(
    changesBetween(openapi({ oneOf: [person, firm] }), openapi({ oneOf: [person, firm, list] })),
  ).toEqual([
    { class: "breaking", message: `${at} is array or object now, it was object` },
    { class: "safe", message: `${at} has the new member array` },
  ]);
  expect(
    changesBetween(openapi({ oneOf: [person, firm, list] }), openapi({ oneOf: [person, firm] })),
  ).toEqual([
    { class: "safe", message: `${at} is object now, it was array or object` },
    { class: "safe", message: `${at} no longer has the member array` },
  ]);
});

const answer = (required: boolean, isNullable: boolean): string =>
  openapi({
    type: "object",
    required: required ? ["name"] : [],
    properties: { name: { type: isNullable ? ["string", "null"] : "string" } },
  });

test("a property that may be missing becomes one that may be null, and back: GraphQL shows null for both", () => {
  expect(changesBetween(answer(false, false), answer(true, true))).toEqual([
    { class: "safe", message: `${at}.name is required now` },
    { class: "safe", message: `${at}.name may be null now` },
  ]);
  expect(changesBetween(answer(true, true), answer(false, false))).toEqual([
    { class: "safe", message: `${at}.name may be left out now` },
    { class: "safe", message: `${at}.name is never null now` },
  ]);
});

test("a property that was always there and may be missing or null now is a breaking change", () => {
  expect(changesBetween(answer(true, false), answer(true, true))).toEqual([
    { class: "breaking", message: `${at}.name may be null now` },
  ]);
  expect(changesBetween(answer(true, false), answer(false, false))).toEqual([
    { class: "breaking", message: `${at}.name may be left out now` },
  ]);
});

test("an optional property that may be null too now changes nothing that GraphQL shows, nor does a nullable one that may be missing", () => {
  expect(changesBetween(answer(false, false), answer(false, true))).toEqual([
    { class: "safe", message: `${at}.name may be null now` },
  ]);
  expect(changesBetween(answer(true, true), answer(false, true))).toEqual([
    { class: "safe", message: `${at}.name may be left out now` },
  ]);
});

test("a schema that may be null now breaks the fields that always had a value, and no other", () => {
  const owned = (type: unknown): string => {
    const owner = { $ref: "#/components/schemas/Person" };
    const schema = {
      type: "object",
      required: ["owner"],
      properties: { owner, deputy: owner, name },
    };
    const document = JSON.parse(openapi(schema)) as Record<string, unknown>;
    return JSON.stringify({ ...document, components: { schemas: { Person: { ...person, type } } } });
  };
  const sdl = `type Query { answer: Answer @rest(operation: "answer") }
type Answer {
  name: String
  owner: Person
  deputy: Person
}
type Person { name: String }
`;
  const [base, head] = [snapshot(owned("object"), sdl), snapshot(owned(["object", "null"]), sdl)];
  if (!base.model) throw new Error("no model");
  const { changes } = examine(head, { ...base, model: base.model, name: "base" }, "2026-01-01");
  expect(changes.map(({ class: kind, message, coordinates }) => [kind, message, coordinates])).toEqual([
    ["breaking", "schema Person may be null now", ["Answer.owner"]],
    ["safe", "schema Person may be null now", ["Answer.deputy"]],
  ]);
});

test("an integer of 64 bits stays one beside a member without a format, and a member with 64 bits is a new danger", () => {
  const [wide, bare] = [{ type: "integer", format: "int64" }, { type: "integer" }];
  const id = (...members: object[]): string =>
    openapi({
      type: "object",
      properties: { name, id: members.length > 1 ? { oneOf: members } : members[0] },
    });
  const ofFormat = (before: string, after: string) =>
    changesBetween(before, after).filter(({ message }) => /int64/.test(message));
  expect(ofFormat(id(wide), id(wide, bare))).toEqual([]);
  expect(ofFormat(id(wide), id(bare))).toEqual([
    { class: "safe", message: `${at}.id has no format now, it had int64` },
  ]);
  expect(ofFormat(id(bare), id(bare, wide))).toEqual([
    { class: "dangerous", message: `${at}.id has format int64 now, it had none` },
  ]);
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
  if (!base.model) throw new Error("no model");
  const { changes, findings } = examine(head, { ...base, model: base.model, name: "base" }, "2026-01-01");
  expect(changes.map(({ message }) => message)).toEqual([`${at}.contact may be "b" too now`]);
  expect(findings.find(({ stage }) => stage === "changes")?.message).toMatch(
    /; Answer\.contact \(and 1 more\) rest on it$/,
  );
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
  if (!base?.model || !head) throw new Error("no model");
  const { changes } = examine(head, { ...base, model: base.model, name: "base" }, "2026-01-01");
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
  const all = ["Answer.contact", "Answer.owner", "Answer.deputy"];
  expect(reached(base, { contact: number, deputy: number })).toEqual([[`${at}.contact ${now}`, all]]);
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
  const [base, head] = [snapshot(document({ nick: name }), sdl), snapshot(document({}), sdl)];
  if (!base.model) throw new Error("no model");
  const { changes } = examine(head, { ...base, model: base.model, name: "base" }, "2026-01-01");
  expect(changes.map(({ rule, coordinates }) => [rule, coordinates])).toEqual([
    ["rest-property-removed", ["Author.nick", "Editor.nick"]],
  ]);
});

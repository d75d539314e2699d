/**
 * Everything that `npm run propose` prints binds, alone and beside the others, whatever the document composes of `allOf`,
 * `oneOf`, `anyOf`, `$ref`, null, maps and arrays in answers, bodies and parameters.
 * `COMPOSED_CASES` sets the number of documents.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { seed } from "../../../support/seed.ts";
import { proposalsOf } from "../../documents/proposals.ts";
import { type Schema, type World, world } from "../bind/composed/schemas.ts";
import { proposed } from "./proposed.ts";

const cases = Number(process.env.COMPOSED_CASES ?? 60);

const content = (schema: Schema) => ({ "application/json": { schema } });
const answer = (schema: Schema) => ({ description: "it", content: content(schema) });
const id = { name: "id", in: "path", required: true, schema: { type: "string" } };

function documentOf({ answers, schemas }: World): string {
  const [one = {}, two = {}] = answers;
  const named = { $ref: "#/components/schemas/Two" };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Composed", version: "1" },
    security: [],
    paths: {
      "/things": {
        get: { operationId: "listThings", responses: { 200: answer({ type: "array", items: one }) } },
        post: {
          operationId: "makeThing",
          requestBody: { required: true, content: content(one) },
          responses: { 200: answer(one), 202: answer(two) },
        },
      },
      "/things/{id}": {
        get: {
          operationId: "getThing",
          parameters: [id],
          responses: { 200: answer(two), 202: answer(named) },
        },
        put: {
          operationId: "changeThing",
          parameters: [id, { name: "how", in: "query", schema: two }],
          requestBody: { content: content(named) },
          responses: { 200: answer(named) },
        },
      },
    },
    components: { schemas },
  });
}

const string = { type: "string" };
const objectOf = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: "object",
  required,
  properties,
});
const schemas = { One: objectOf({}), Two: objectOf({ a: string }), Three: objectOf({}) };
const map = { type: "object", additionalProperties: string };
const empty = { oneOf: [objectOf({}), objectOf({})] };

/** What random documents have found. */
const examples: Readonly<Record<string, World>> = {
  "text, or a list of maps": { answers: [string, { type: "array", items: map }], schemas },
  "a body that must hold another one of its kind": {
    answers: [string, string],
    schemas: { ...schemas, Two: objectOf({ a: { $ref: "#/components/schemas/Two" } }, ["a"]) },
  },
  "a body that requires what it declares nowhere, and is one of two objects": {
    answers: [objectOf({ a: { allOf: [{ ...objectOf({ b: string }), required: ["a"] }, empty] } }), string],
    schemas,
  },
};

test("an input type is no part of what REST takes: one of several objects with properties of their own is JSON", async () => {
  const common = { type: string, note: string };
  const members = [objectOf(common, ["type"]), objectOf({ ...common, page_id: string }, ["type", "page_id"])];
  const proposalOf = (oneOf: readonly Schema[], ...named: string[]): Promise<string> =>
    proposed(documentOf({ answers: [{ oneOf }, string], schemas }), ["listThings", "makeThing"], "", named);
  expect(await proposalOf(members)).toContain("input: JSON");
  // a client may send both properties, or none
  const alike = [objectOf(common, ["type"]), objectOf(common, ["note"])];
  expect(await proposalOf(alike, "limit-unchecked")).toContain("input: MakeThingInput");
});

test("one of several objects with names of their own has a field for each", async () => {
  const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
  const kind = (value: string): Schema => ({ kind: { type: "string", enum: [value] } });
  const One = objectOf({ ...kind("file"), path: string }, ["kind", "path"]);
  const Two = objectOf({ ...kind("folder"), of: { type: "array", items: ref("Any") } }, ["kind"]);
  const Any = { oneOf: [ref("One"), ref("Two")] };
  const text = await proposed(
    documentOf({ answers: [ref("Any"), string], schemas: { ...schemas, One, Two, Any } as never }),
    ["listThings", "makeThing"],
  );
  expect(text).toContain("input AnyInput @oneOf {\n  file: OneInput\n  folder: TwoInput\n}");
  expect(text).toContain("input OneInput {\n  path: String!\n}");
  expect(text).toContain("input TwoInput {\n  of: [AnyInput!]\n}");
});

test("a member of a @oneOf input is deprecated if REST deprecates its object", async () => {
  const Old = { ...objectOf({ one: string }), deprecated: true };
  const oneOf = [{ $ref: "#/components/schemas/Old" }, { $ref: "#/components/schemas/Two" }];
  const text = await proposed(
    documentOf({ answers: [{ oneOf }, string], schemas: { ...schemas, Old } as never }),
    ["listThings", "makeThing"],
  );
  expect(text).toContain('  old: OldInput @deprecated(reason: "REST deprecates it.")');
});

test("one of several objects without names has fields named by title, or by a property of each alone", async () => {
  const common = { note: string };
  const oneOf = [
    { ...objectOf({ ...common, mail: string }, ["mail"]), title: "By e-mail" },
    objectOf({ ...common, letter: string, phone_number: string }, ["phone_number"]),
    objectOf({ ...common, room: string, floor: string }),
    { $ref: "#/components/schemas/Team" },
  ];
  const Team = objectOf({ members: string }, ["members"]);
  const document = documentOf({ answers: [{ oneOf }, string], schemas: { ...schemas, Team } as never });
  const text = await proposed(document, ["listThings", "makeThing"]);
  expect(text).toContain(`input MakeThingInput @oneOf {
  byEMail: MakeThingByEMailInput @restName(name: "oneOf.0")
  phoneNumber: MakeThingPhoneNumberInput @restName(name: "oneOf.1")
  room: MakeThingRoomInput @restName(name: "oneOf.2")
  team: TeamInput
}`);
  expect(text).toContain(
    "input MakeThingPhoneNumberInput {\n  note: String\n  letter: String\n  phoneNumber: String!\n}",
  );
});

test("every proposal binds", () => {
  const counted = { operations: 0, proposed: 0 };
  const allBind = (composed: World): void => {
    const text = documentOf(composed);
    const { operations, proposed, together, failures } = proposalsOf(
      (name) => (name === "openapi.yaml" ? text : undefined),
      10,
    );
    counted.operations += operations;
    counted.proposed += proposed;
    if (together < proposed)
      throw new Error(failures.map(({ operation, reason }) => `${operation}: ${reason}`).join("\n"));
  };
  fc.assert(fc.property(world, allBind), {
    numRuns: cases,
    seed,
    examples: Object.values(examples).map((each) => [each]),
  });
  expect(counted.proposed).toBeGreaterThan(counted.operations * 0.8);
}, 600_000);

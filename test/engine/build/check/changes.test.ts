/** The changes since a base. */
import { expect, test } from "vitest";
import type { Report } from "../../../../src/engine/build/check/report.ts";
import { stepReport } from "./in-memory.ts";
import { depotOpenapi, depotSchema, edited, ran, repository, write } from "./run.ts";

test("a new required property of a body rests on every field that sends the body", async () => {
  const required = edited(depotOpenapi, "required: [grams]", "required: [grams, locale]");
  const openapi = edited(
    required,
    "                grams:\n",
    "                locale: { type: string }\n                grams:\n",
  );
  const { findings } = await stepReport({}, { "spec/openapi.yaml": openapi });
  expect(findings).toMatchObject([
    { rule: "parameter-unfed", change: "breaking", coordinates: ["Mutation.weighParcel"] },
  ]);
});

test("a number that becomes an integer breaks no client, whatever the formats", async () => {
  const capacity = (type: string, format: string): string =>
    edited(
      depotOpenapi,
      "capacity_m3:\n              type: number\n",
      `capacity_m3:\n              type: ${type}\n              format: ${format}\n`,
    );
  const was = { "spec/openapi.yaml": capacity("number", "double") };
  const { changes } = await stepReport(was, { "spec/openapi.yaml": capacity("integer", "int32") });
  expect(changes).toEqual([]);
});

test("a REST change that no field rests on is no finding", async () => {
  const [old, now] = ["string", "integer"].map((type) => `trace:\n                        type: ${type}`);
  const edits = { "spec/openapi.yaml": edited(depotOpenapi, old ?? "", now ?? "") };
  expect((await stepReport({}, edits)).findings).toEqual([]);
});

test("a changed binding is described in the words of the directive", async () => {
  const schema = edited(depotSchema, 'value: ["in-transit"]', 'value: ["lost"]');
  const { findings } = await stepReport({}, { "spec/schema.graphql": schema });
  const inputs = (state: string): string => `parcels_of_warehouse.result(state: constant ["${state}"], …)`;
  expect(findings.find(({ rule }) => rule === "binding-changed")?.message).toBe(
    `Warehouse.parcels is bound differently now: ${inputs("lost")}, it was ${inputs("in-transit")}`,
  );
});

test("where REST alone renamed what a field reads, the advice is no edit of the schema", async () => {
  const document = (property: string) => `openapi: 3.1.0
info: { title: t, version: "1" }
paths:
  /thing:
    get:
      operationId: getThing
      responses: { "200": { description: ok, content: { application/json: { schema: { type: object, required: [${property}], properties: { ${property}: { type: string } } } } } } }`;
  const was = {
    "spec/openapi.yaml": document("madeAt"),
    "spec/schema.graphql":
      'type Query { thing: Thing @rest(operation: "getThing") }\ntype Thing { madeAt: String! }\n',
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "",
  };
  const { findings } = await stepReport(was, { "spec/openapi.yaml": document("made_at") });
  expect(findings.filter(({ rule }) => rule === "binding-changed")).toMatchObject([
    {
      coordinate: "Thing.madeAt",
      hint: "the schema is unchanged: approve it if REST has only renamed the value",
    },
  ]);
});

test("a base that cannot be read ends the run with exit code 3", async () => {
  const root = repository({ "spec/openapi.yaml": "swagger: '2.0'" });
  write(root, { "spec/openapi.yaml": depotOpenapi });
  const { code, error } = await ran(root, ["--base", "HEAD"]);
  expect(code).toBe(3);
  expect(error).toMatch(
    /^the spec at HEAD cannot be read, so --base needs an earlier commit: spec\/openapi\.yaml:1:1: is Swagger 2\.0/,
  );
});

/** Three lists of one shared schema, with one shared parameter; the third list is bound by nothing. */
const shared = (person: string, limit: string): string => `openapi: 3.1.0
info: { title: t, version: "1" }
paths:
${["one", "two", "three"]
  .map(
    (name) => `  /${name}:
    get:
      operationId: ${name}
      parameters: [{ $ref: "#/components/parameters/Limit" }]
      responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/${name}" } } } } }`,
  )
  .join("\n")}
components:
  parameters:
    Limit: { name: limit, in: query, schema: ${limit} }
  schemas:
${["one", "two", "three"]
  .map(
    (name) => `    ${name}: { type: object, properties: { owner: { $ref: "#/components/schemas/Person" } } }`,
  )
  .join("\n")}
    Person: ${person}
`;

test("a change of a shared schema or parameter is one finding, at the change, with the fields that it reaches", async () => {
  const person =
    "{ type: object, required: [name], properties: { name: { type: string }, age: { type: integer } } }";
  const limit = "{ type: integer, default: 10 }";
  const was = {
    "spec/schema.graphql": `type Query {
  one: One @rest(operation: "one")
  two: Two @rest(operation: "two")
}
type One { owner: Person } type Two { owner: Person } type Person { name: String }`,
    "spec/openapi.yaml": shared(person, limit),
    "spec/rest-only.yaml": "three: not needed",
  };
  const changed = async (...spec: Parameters<typeof shared>): Promise<Report["changes"]> =>
    (await stepReport(was, { "spec/openapi.yaml": shared(...spec) })).changes;
  // both fields may be null: the schema says so already
  expect(await changed(person.replace("type: object", 'type: [object, "null"]'), limit)).toEqual([]);
  expect(await changed(person.replace("{ type: string }", "{ type: boolean }"), limit)).toMatchObject([
    { rule: "output-type", class: "breaking", coordinates: ["Person.name"] },
  ]);
  expect(await changed(person, limit.replace("10", "20"))).toMatchObject([
    {
      message: "parameter Limit defaults to 20 now, it was 10",
      coordinates: ["Query.one", "Query.two"],
    },
  ]);
  expect(await changed(person.replace("{ type: integer }", "{ type: string }"), limit)).toEqual([]);
});

/** Two operations with one shared parameter and one shared answer; `spare` is bound by nothing unless the schema says so. */
const pair = (spareParameters: string, spareAnswer: string): string => `openapi: 3.1.0
info: { title: t, version: "1" }
paths:
  /main:
    get:
      operationId: main
      parameters: [{ $ref: "#/components/parameters/Page" }]
      responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Person" } } } } }
  /spare:
    get:
      operationId: spare
      parameters: [${spareParameters}]
      responses: { "200": { description: ok, content: { application/json: { schema: ${spareAnswer} } } } }
components:
  parameters:
    Page: { name: page, in: query, schema: { type: integer } }
  schemas:
    Person: { type: object, properties: { name: { type: string } } }
    Firm: { type: object, properties: { seat: { type: string } } }
`;
const page = '{ $ref: "#/components/parameters/Page" }';
const answerOf = (name: string): string => `{ $ref: "#/components/schemas/${name}" }`;

test("an operation that no longer takes or answers what it shared with others changes nothing for the others", async () => {
  const bound = {
    "spec/schema.graphql": `type Query {
  main(page: Int): Person @rest(operation: "main")
  spare(page: Int): JSON @rest(operation: "spare")
}
scalar JSON
type Person { name: String }`,
    "spec/openapi.yaml": pair(page, answerOf("Person")),
  };
  const changed = async (was: typeof bound, text: string) =>
    (await stepReport(was, { "spec/openapi.yaml": text })).changes.filter(
      ({ class: kind }) => kind !== "safe",
    );
  expect(await changed(bound, pair("", answerOf("Person")))).toMatchObject([
    { rule: "argument-unused", coordinates: ["Query.spare(page:)"] },
  ]);
  const unbound = {
    ...bound,
    "spec/schema.graphql": `
type Query {
  main(page: Int): Person @rest(operation: "main")
}
type Person {
  name: String
}`,
    "spec/rest-only.yaml": "spare: not needed",
  };
  expect(await changed(unbound, pair(page, answerOf("Firm")))).toEqual([]);
});

test("the default of a parameter matters to a field whose argument may be left out", async () => {
  const parameter = (text: string): string =>
    pair(page, answerOf("Person")).replace("schema: { type: integer }", `schema: { type: integer${text} }`);
  const was = {
    "spec/schema.graphql": `type Query {
  main(page: Int): Person @rest(operation: "main")
  first(page: Int! = 1): Person @rest(operation: "spare")
}
type Person { name: String }`,
    "spec/openapi.yaml": parameter(""),
  };
  const { changes } = await stepReport(was, { "spec/openapi.yaml": parameter(", default: 3") });
  expect(changes).toMatchObject([{ rule: "rest-default-changed", coordinates: ["Query.main"] }]);
});

test("an argument that passes JSON rests on every part of the body, and not on what REST only answers", async () => {
  const meta = {
    type: "object",
    properties: { unit: { type: "string" }, made: { type: "string", readOnly: true } },
  };
  const body = {
    type: "object",
    properties: { meta, tags: { type: "array", items: { oneOf: [meta, { ...meta, required: ["unit"] }] } } },
  };
  const openapi = (edit: (properties: typeof body.properties) => void): string => {
    const { properties }: typeof body = JSON.parse(JSON.stringify(body));
    edit(properties);
    const content = { "application/json": { schema: { ...body, properties } } };
    const answer = { "application/json": { schema: { type: "boolean" } } };
    const operation = {
      operationId: "add",
      requestBody: { content },
      responses: { 200: { description: "ok", content: answer } },
    };
    return JSON.stringify({
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      security: [],
      paths: {
        "/things": { post: operation, get: { ...operation, operationId: "look", requestBody: undefined } },
      },
    });
  };
  const schema = `type Query { look: Boolean @rest(operation: "look") }
type Mutation { add(input: JSON): Boolean @rest(operation: "add", body: "args.input") }
scalar JSON
`;
  const was = {
    "spec/openapi.yaml": openapi(() => undefined),
    "spec/schema.graphql": schema,
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "",
  };
  const changedBy = async (edit: (properties: typeof body.properties) => void) => {
    const { changes } = await stepReport(was, { "spec/openapi.yaml": openapi(edit) });
    return changes.map(({ rule, coordinates }) => [rule, coordinates.join()]);
  };
  const unit = await changedBy(({ meta: { properties } }) =>
    Object.assign(properties.unit, { type: "integer" }),
  );
  expect(unit).toEqual([["rest-type-changed", "Mutation.add(input:)"]]);
  const member = await changedBy(({ tags }) =>
    Object.assign(tags.items.oneOf[0]?.properties?.unit ?? {}, { type: "integer" }),
  );
  expect(member).toEqual([["rest-type-changed", "Mutation.add(input:)"]]);
  const made = await changedBy(({ meta: { properties } }) =>
    Object.assign(properties.made, { type: "integer" }),
  );
  expect(made).toEqual([]);
});

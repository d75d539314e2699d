/** `npm run propose`: the printed SDL, and the operations that it refuses. */
import { expect, test } from "vitest";
import { run as codegen } from "../../src/codegen/main.ts";
import { run as propose } from "../../src/propose/main.ts";
import { depotOpenapi, depotSchema, edited, project, ran, reportOf, write } from "../check/run.ts";

test("the SDL that propose prints passes check once it is pasted", async () => {
  const root = project({
    "spec/rest-only.yaml": "",
    "spec/schema.graphql": edited(depotSchema, "type Mutation {", "type Mutation {\n"),
  });
  const operation = `
  /api/drivers/{driver-id}:
    patch:
      operationId: driver-update
      parameters:
        - { name: driver-id, in: path, required: true, schema: { type: integer, format: int64 } }
        - { name: X-Reason, in: header, schema: { type: string, enum: [fired, "true"] } }
      requestBody:
        content: { application/json: { schema: { type: object, required: [full name], properties: { full name: { type: string }, address: { $ref: '#/components/schemas/Address' } } } } }
      responses:
        '200': { description: ok, content: { application/json: { schema: { type: object, required: [warehouse, tags], properties: { warehouse: { $ref: '#/components/schemas/Warehouse' }, tags: { type: array, items: { type: string, nullable: true } }, any: {} } } } } }
    delete:
      operationId: driver-delete
      parameters: [{ name: driver-id, in: path, required: true, schema: { type: string } }]
      responses: { '204': { description: gone } }
  /api/search:
    get:
      operationId: search
      responses:
        '200': { description: ok, content: { application/json: { schema: { type: object, required: [hits, loads, loose], properties: { hits: { type: array, items: { $ref: '#/components/schemas/Item' } }, loads: { type: array, items: { $ref: '#/components/schemas/Content' } }, loose: { oneOf: [{ $ref: '#/components/schemas/Box' }, { $ref: '#/components/schemas/Shelf' }] } } } } } }
`;
  const schemas = `
components:
  schemas:
    Item: { oneOf: [{ $ref: '#/components/schemas/Box' }, { $ref: '#/components/schemas/Shelf' }, { $ref: '#/components/schemas/Empty' }, { type: object, required: [kind, code], properties: { kind: { type: string, enum: [slip] }, code: { type: string } } }], discriminator: { propertyName: kind, mapping: { box: Box, shelf: Shelf, empty: Empty, slip: Slip } } }
    Box: { type: object, required: [kind, id], properties: { kind: { type: string, enum: [box] }, id: { type: string }, inside: { type: array, items: { $ref: '#/components/schemas/Item' } } } }
    Shelf: { type: object, required: [kind, id], properties: { kind: { type: string, enum: [shelf] }, id: { type: string }, rows: { type: integer, format: int32 } } }
    Empty: { type: object, required: [kind], properties: { kind: { type: string } } }
    Slip: { type: object }`;
  write(root, {
    "spec/openapi.yaml": edited(depotOpenapi, "\ncomponents:\n  schemas:", operation + schemas.slice(1)),
  });
  const { code, out } = await ran(root, ["audit_log", "driver-update", "driver-delete", "search"], propose);
  expect(code).toBe(0);
  expect(out).toContain("  hits: [Item!]!\n  loads: [Content!]!\n");
  expect(out).toContain("union Item = Box | Shelf | Empty | Slip\n");
  expect(out).toContain("# Only what REST's Box, Shelf share: ");
  expect(out).toMatch(/\): Boolean\n {4}@rest\(operation: "driver-delete"\)/);
  write(root, {
    "spec/schema.graphql": `${depotSchema}\n${out.replace(/\n+"Any JSON value\."\nscalar JSON(?=[\s\S]*scalar JSON)/, "")}\n`,
  });
  await codegen([], { root, env: {}, out: () => undefined, error: console.error });
  const result = await reportOf(root);
  expect(result.findings.map(({ rule, message }) => `${rule} ${message}`)).toEqual([]);
});

test("properties and arguments with the same values share an enum, if its name says what each of them is", async () => {
  const root = project();
  const states = "{ type: string, enum: [open, shut] }";
  const operation = `
  /api/gates:
    get:
      operationId: listGates
      parameters:
        - { name: state, in: query, schema: { type: string, enum: [shut, open] } }
        - { name: level, in: query, schema: ${states} }
        - { name: kind, in: query, schema: { type: string, enum: [wide] } }
      responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Gate' } } } } } }
`;
  const gate = `
components:
  schemas:
    Gate: { type: object, required: [state, kind], properties: { state: ${states}, kind: { type: string, enum: [narrow, wide] } } }`;
  write(root, {
    "spec/openapi.yaml": edited(depotOpenapi, "\ncomponents:\n  schemas:", operation + gate.slice(1)),
  });
  const { code, out } = await ran(root, ["listGates"], propose);
  expect(code).toBe(0);
  expect([...out.matchAll(/^enum (\w+)/gm)].map(([, name]) => name)).toEqual([
    "GateState",
    "GateKind",
    "Level",
    "Kind",
  ]);
  expect(out).toContain("state: GateState\n");
  expect(out).toContain("state: GateState!\n");
  write(root, { "spec/schema.graphql": `${depotSchema}\n${out}\n` });
  await codegen([], { root, env: {}, out: () => undefined, error: console.error });
  expect((await reportOf(root)).findings).toEqual([]);
});

test("propose refuses an operation that no field can send", async () => {
  const operation = `
  /api/drivers:
    options:
      operationId: driver-options
      responses: { '200': { description: ok, content: { application/json: { schema: { type: object } } } } }
`;
  const root = project({
    "spec/openapi.yaml": edited(depotOpenapi, "\ncomponents:", `${operation}components:`),
  });
  const { code, error } = await ran(root, ["driver-options"], propose);
  expect({ code, error }).toEqual({
    code: 2,
    error: "propose driver-options: no field can send OPTIONS",
  });
});

test("propose works beside an invalid saved operation", async () => {
  const root = project({ "spec/operations/Broken.graphql": "query Broken { nothing }" });
  expect(await ran(root, ["audit_log"], propose)).toMatchObject({ code: 0 });
});

test("propose prints a date scalar for a format, with its definition once and only where there is none", async () => {
  const operation = `
  /api/visits:
    get:
      operationId: visits
      parameters: [{ name: since, in: query, schema: { type: string, format: date } }]
      responses: { '200': { description: ok, content: { application/json: { schema: { type: object, required: [day, from], properties: { day: { type: string, format: date }, from: { type: string, format: date-time }, to: { type: string, nullable: true, format: date-time }, note: { type: string, format: time } } } } } } }
`;
  const root = project({
    "spec/openapi.yaml": edited(depotOpenapi, "\ncomponents:", `${operation}components:`),
    "spec/schema.graphql": `${depotSchema}\nscalar Date\n`,
  });
  const { out } = await ran(root, ["visits"], propose);
  expect(out).toContain("  visits(\n    since: Date\n  ): Visits\n");
  expect(out).toContain("  day: Date!\n  from: DateTime!\n  to: DateTime\n  note: String\n");
  expect(out.match(/^scalar .*$/gm)).toEqual([
    'scalar DateTime @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc3339#section-5.6")',
  ]);
  write(root, { "spec/schema.graphql": `${depotSchema}\nenum Date { TODAY }\n` });
  expect((await ran(root, ["visits"], propose)).out).toContain("  day: String!\n");
});

/** A document whose names are one name in GraphQL: reactions, cases of one word, a parameter in two places. */
const alike = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  security: [],
  paths: {
    "/reactions/{id}": {
      get: {
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "id", in: "query", schema: { type: "string" } },
          { name: "input", in: "query", schema: { type: "string" } },
        ],
        responses: {
          200: {
            description: "ok",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Reactions" } } },
          },
        },
      },
      put: {
        operationId: "get_reactions",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "input", in: "query", schema: { type: "string" } },
        ],
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Reactions" } } },
        },
        responses: {
          200: {
            description: "ok",
            content: { "application/json": { schema: { $ref: "#/components/schemas/reactions" } } },
          },
        },
      },
    },
    "/Reactions": { put: { operationId: "getReactions", responses: { 204: { description: "ok" } } } },
  },
  components: {
    schemas: {
      Reactions: {
        type: "object",
        properties: {
          "+1": { type: "integer", format: "int32" },
          "-1": { type: "integer", format: "int32" },
          user_id: { type: "string" },
          userId: { type: "string" },
          $: { type: "string" },
          "": { type: "string" },
          kind: { type: "string", enum: ["+1", "-1", "a-b", "a_b", "", "?"] },
        },
      },
      reactions: { type: "object", properties: { a: { type: "string" } } },
    },
  },
});

test("propose names the fields that an operation has already", async () => {
  const { code, error } = await ran(project(), ["parcels_of_warehouse"], propose);
  expect([code, error]).toEqual([
    0,
    "parcels_of_warehouse has fields already: Query.parcels, Warehouse.parcels",
  ]);
});

test("propose needs no field, and makes no name twice; what it prints is a schema that passes check", async () => {
  const operations = ["GET /reactions/{id}", "get_reactions", "getReactions"];
  for (const schema of ["", "# nothing yet\n", "type Query", "type Query {\n}\n"]) {
    const root = project({
      "spec/openapi.yaml": alike,
      "spec/schema.graphql": schema,
      "spec/operations/depot.graphql": "",
      "spec/rest-only.yaml": "",
    });
    const { code, out, error } = await ran(root, operations, propose);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(out).toContain("  reactionsId(\n");
    expect(out).toMatch(/plus1: Int @restName\(name: "\+1"\)\n {2}minus1: Int @restName\(name: "-1"\)/);
    write(root, { "spec/schema.graphql": out });
    const { findings } = await reportOf(root);
    const own = findings.filter(({ stage }) => stage === "proof" || stage === "load");
    expect(own.map(({ rule, message }) => `${rule} ${message}`)).toEqual([]);
  }
});

const things = { type: "array", items: { $ref: "#/components/schemas/Thing" } };

/** A document with a read operation for each of the given ones: its query parameters, and the schema of its answer. */
const documentOf = (
  operations: Readonly<
    Record<string, readonly [parameters: Readonly<Record<string, object>>, answer: object]>
  >,
): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: Object.fromEntries(
      Object.entries(operations).map(([operationId, [parameters, schema]]) => [
        `/${operationId}`,
        {
          get: {
            operationId,
            parameters: Object.entries(parameters).map(([name, own]) => ({ name, in: "query", schema: own })),
            responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
          },
        },
      ]),
    ),
    components: {
      schemas: { Thing: { type: "object", required: ["id"], properties: { id: { type: "string" } } } },
    },
  });

/** What propose prints for all operations of the document, which passes check. */
async function proposed(document: string): Promise<string> {
  const root = project({
    "spec/openapi.yaml": document,
    "spec/schema.graphql": "",
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "",
  });
  const operations = Object.keys(JSON.parse(document).paths).map((path) => path.slice(1));
  const { code, out, error } = await ran(root, operations, propose);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  write(root, { "spec/schema.graphql": out });
  const { findings } = await reportOf(root);
  const own = findings.filter(({ stage }) => stage === "proof" || stage === "load");
  expect(own.map(({ rule, message }) => `${rule} ${message}`)).toEqual([]);
  return out;
}

test("propose prints a connection for a list with a cursor, and its types once", async () => {
  const text = { type: "string" };
  const out = await proposed(
    documentOf({
      listThings: [
        { cursor: text, limit: { type: "integer", maximum: 10 }, first: text },
        {
          type: "object",
          required: ["rows", "total"],
          properties: {
            rows: things,
            cursor: text,
            next_page: { type: "boolean" },
            total: { type: "integer", format: "int32" },
          },
        },
      ],
      findThings: [
        { "page-token": { type: "string", maxLength: 9 }, page_size: { type: "integer", default: 5 } },
        {
          type: "object",
          properties: {
            things: {
              type: ["array", "null"],
              items: { anyOf: [{ $ref: "#/components/schemas/Thing" }, { type: "null" }] },
            },
            meta: { type: "object", properties: { nextPageToken: { type: ["string", "null"] } } },
          },
        },
      ],
      names: [
        { after: text },
        {
          type: "object",
          required: ["items"],
          properties: { items: { type: "array", items: text }, next: text },
        },
      ],
    }),
  );
  expect(out).toContain(`  things(
    after: String @restName(name: "cursor")
    first: Int = 10 @restName(name: "limit")
    first2: String @restName(name: "first")
  ): ThingConnection
    @rest(operation: "listThings", connection: { items: "rows", next: "cursor", more: "next_page" })
`);
  expect(out).toContain(`
type ThingConnection {
  edges: [ThingEdge!]!
  nodes: [Thing!]!
  pageInfo: PageInfo!
  total: Int!
}`);
  expect(out).toContain(`    after: String @restName(name: "page-token")
    first: Int @restName(name: "page_size")
  ): FindThingsThingConnection
    @rest(operation: "findThings", connection: { items: "things", next: "meta.nextPageToken" })
`);
  expect(out).toMatch(/type FindThingsThingEdge \{\n {2}node: Thing\n/);
  expect(out).toMatch(/type NamesEdge \{\n {2}node: String!\n/);
  expect(out.match(/^type \w+/gm)?.filter((line) => /PageInfo|Thing$/.test(line))).toEqual([
    "type Thing",
    "type PageInfo",
  ]);
});

test("propose prints a connection for a list that begins at an offset", async () => {
  const integer = { type: "integer", format: "int32" };
  const answer = (meta: object) => ({
    type: "object",
    required: ["data"],
    properties: { data: things, meta: { type: "object", properties: meta } },
  });
  const out = await proposed(
    documentOf({
      listThings: [
        // nothing says with which page counting begins
        { page: integer, offset: { ...integer, minimum: 0 }, limit: integer },
        answer({ total_count: integer, filter_count: integer }),
      ],
      findThings: [
        { startIndex: { ...integer, default: 1 }, count: { ...integer, maximum: 50 } },
        answer({}),
      ],
    }),
  );
  expect(out).toContain(`connection: { items: "data", total: "meta.filter_count", pages: OFFSET })`);
  expect(out).toContain(`    after: String @restName(name: "startIndex")
    first: Int = 20 @restName(name: "count")
  ): FindThingsThingConnection
    @rest(operation: "findThings", connection: { items: "data", pages: OFFSET })
`);
});

test("pages with numbers need no size", async () => {
  const answer = { type: "object", required: ["items"], properties: { items: things } };
  const page = { type: "integer", format: "int32", default: 1 };
  const out = await proposed(documentOf({ listThings: [{ page }, answer] }));
  expect(out).toContain('@rest(operation: "listThings", connection: { items: "items", pages: NUMBERED })');
});

test.each([
  ["the next page's address", { next: { type: "string", format: "uri" } }, { cursor: { type: "string" } }],
  [
    "an address by its description",
    { next: { type: "string", description: "A URL to call." } },
    { cursor: { type: "string" } },
  ],
  ["a cursor that no parameter takes", { next: { type: "string" } }, { q: { type: "string" } }],
  [
    "a cursor that is a number",
    { next: { type: "integer", format: "int32" } },
    { cursor: { type: "string" } },
  ],
  [
    "pages of an unknown first number",
    {},
    { page: { type: "integer", format: "int32" }, limit: { type: "integer", format: "int32", maximum: 9 } },
  ],
])("a list with %s stays a list", async (_what, properties, parameters) => {
  const answer = { type: "object", required: ["items"], properties: { items: things, ...properties } };
  const out = await proposed(documentOf({ listThings: [parameters, answer] }));
  expect(out).toContain('  ): [Thing!]\n    @rest(operation: "listThings", result: "items")\n');
});

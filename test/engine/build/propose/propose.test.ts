/** `npm run propose`: the printed SDL, and the operations that it refuses. */
import { expect, test } from "vitest";
import { run as codegen } from "../../../../src/engine/build/codegen/codegen-command.ts";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { depotOpenapi, depotSchema, edited, project, ran, reportOf, write } from "../check/run.ts";
import { proposed } from "./proposed.ts";

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
        '200': { description: ok, content: { application/json: { schema: { type: object, required: [hits, loads, told, loose], properties: { hits: { type: array, items: { $ref: '#/components/schemas/Item' } }, loads: { type: array, items: { $ref: '#/components/schemas/Content' } }, told: { oneOf: [{ $ref: '#/components/schemas/Box' }, { $ref: '#/components/schemas/Shelf' }] }, loose: { oneOf: [{ $ref: '#/components/schemas/Box' }, { $ref: '#/components/schemas/Empty' }] } } } } } }
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
  expect(out).toContain("union SearchTold = Box | Shelf\n");
  expect(out).toContain("# Only what REST's Box, Empty share: ");
  expect(out).toMatch(/\): Boolean\n {4}@rest\(operation: "driver-delete"\)/);
  write(root, {
    "spec/schema.graphql": `${depotSchema}\n${out.replace(/\n+"Any JSON value\."\nscalar JSON(?=[\s\S]*scalar JSON)/, "")}\n`,
  });
  await codegen([], { root, env: {}, out: () => undefined, error: console.error });
  const result = await reportOf(root);
  expect(result.findings.map(({ rule, message }) => `${rule} ${message}`)).toEqual([]);
});

test("a reference that OpenAPI 3.0 describes by an `allOf` around it keeps its type's name, and its own description", async () => {
  const root = project();
  const operation = `
  /api/fares:
    get:
      operationId: getFares
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Fares' } } } } }
`;
  const price = (description: string, more = ""): string =>
    `{ description: ${description}, readOnly: true${more}, allOf: [{ $ref: '#/components/schemas/Toll' }] }`;
  const schemas = `
components:
  schemas:
    Toll: { type: object, description: An amount., required: [amount], properties: { amount: { type: number } } }
    Fares: { type: object, required: [adult, child], properties: { adult: ${price("For an adult.")}, child: ${price("For a child.", ", nullable: true")} } }`;
  write(root, {
    "spec/openapi.yaml": edited(depotOpenapi, "\ncomponents:\n  schemas:", operation + schemas.slice(1)),
  });
  const { code, out } = await ran(root, ["getFares"], propose);
  expect(code).toBe(0);
  expect([...out.matchAll(/^type (?!Query)(\w+)/gm)].map(([, name]) => name)).toEqual(["Fares", "Toll"]);
  expect(out).toContain('  "For an adult."\n  adult: Toll!\n  "For a child."\n  child: Toll\n');
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

test("properties with the same name and values share an enum, if they mean the same", async () => {
  const [colors, states] = [
    ["red", "blue"],
    ["open", "shut"],
  ];
  const values = (listed: readonly (string | null)[] = []) => ({ type: "string", enum: listed });
  const object = (properties: object) => ({ type: "object", properties });
  const schemas: Record<string, object> = {
    Gate: object({
      mainColor: values(colors),
      state: values(states),
      fill_color: { $ref: "#/components/schemas/Fill" },
    }),
    GateInput: object({ mainColor: values(colors?.toReversed()), state: values(states) }),
    CreateGateInput: object({ state: values(states), side_color: { type: "array", items: values(colors) } }),
    Door: object({ mainColor: values(["red"]), state: values(states), fill_color: values(colors) }),
    Wall: object({ side_color: values(colors), lineColor: values(colors), fillColor: values(["red"]) }),
    Fill: values(states),
    FillColor: object({ hex: { type: "string" } }),
    Hue: values(["warm", "cold"]),
    HueOrNull: { type: ["string", "null"], enum: ["warm", "cold", null] },
  };
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const shown = object(Object.fromEntries(Object.keys(schemas).map((name) => [`the${name}`, ref(name)])));
  const responses = { 200: { description: "ok", content: { "application/json": { schema: shown } } } };
  const document = {
    openapi: "3.1.0",
    info: { title: "House", version: "1" },
    security: [],
    paths: { "/house": { get: { operationId: "getHouse", responses } } },
    components: { schemas },
  };
  const sdl = await proposed(JSON.stringify(document), ["getHouse"]);
  const fieldsOf = (name: string): string[] =>
    [...(new RegExp(`^type ${name} \\{\n(.*?)\n\\}`, "ms").exec(sdl)?.[1] ?? "").matchAll(/: \[?(\w+)/g)].map(
      ([, type = ""]) => type,
    );
  expect(fieldsOf("Gate")).toEqual(["MainColor", "GateState", "Fill"]);
  expect(fieldsOf("GateInput")).toEqual(["MainColor", "GateState"]);
  expect(fieldsOf("CreateGateInput")).toEqual(["GateState", "SideColor"]);
  expect(fieldsOf("Door")).toEqual(["DoorMainColor", "DoorState", "DoorFillColor"]);
  expect(fieldsOf("Wall")).toEqual(["SideColor", "WallLineColor", "WallFillColor"]);
  expect(fieldsOf("GetHouse").slice(-2)).toEqual(["Hue", "Hue"]);
});

test("a proposal has the document's descriptions: of arguments, inputs and their fields, by their schemas too", async () => {
  const operation = `
  /api/gates:
    post:
      operationId: addGate
      parameters: [{ name: kind, in: query, schema: { type: string, description: What kind it is. } }]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/NewGate' } } } }
      responses: { '204': { description: done } }
`;
  const gate = `
components:
  schemas:
    Width: { type: number, description: In metres. }
    NewGate: { type: object, description: A gate to build., properties: { width: { $ref: '#/components/schemas/Width' } } }`;
  const root = project({
    "spec/openapi.yaml": edited(depotOpenapi, "\ncomponents:\n  schemas:", operation + gate.slice(1)),
  });
  const { out } = await ran(root, ["addGate"], propose);
  expect(out).toContain('    "What kind it is."\n    kind: String\n');
  expect(out).toContain('"A gate to build."\ninput NewGateInput {\n  "In metres."\n  width: Float\n}');
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

test("propose skips operations that have a field already, and names the fields", async () => {
  const root = project();
  const { code, out, error } = await ran(root, ["parcels_of_warehouse"], propose);
  expect([code, out, error]).toEqual([
    0,
    "",
    "skipped: parcels_of_warehouse has fields already: Query.parcels, Warehouse.parcels",
  ]);
  const two = await ran(root, ["parcels_of_warehouse", "audit_log"], propose);
  expect(two.out.match(/@rest\(operation: "\w+"/g)).toEqual(['@rest(operation: "audit_log"']);
});

const widgets = (more: object = {}): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: Object.fromEntries(
      ["listOld", "listNew"].map((operationId) => [
        `/${operationId}`,
        {
          get: {
            operationId,
            responses: {
              200: {
                description: "ok",
                content: {
                  "application/json": {
                    schema: {
                      type: "object",
                      properties: { state: { type: "string", enum: ["on", "off"] } },
                    },
                  },
                },
              },
            },
          },
        },
      ]),
    ),
    ...more,
  });

test.each<[string, Record<string, string>, string]>([
  [
    "a field with an error",
    { "spec/schema.graphql": 'type Query { a: Int @rest(operation: "listOld", result: "state") }' },
    "the spec has an error elsewhere: Query.a: ",
  ],
  [
    "a schema that is not valid",
    { "spec/schema.graphql": 'type Query { a: Missing @rest(operation: "listOld") }' },
    "the schema is not valid, so names may be taken: ",
  ],
  ["an overlay that cannot be read", { "spec/overlay.yaml": "a: 1" }, "left out: "],
])("propose prints a field beside %s, and mentions the error", async (_what, files, fault) => {
  const root = project({
    "spec/openapi.yaml": widgets(),
    "spec/schema.graphql": "",
    "spec/rest-only.yaml": "",
    "spec/operations/depot.graphql": "",
    ...files,
  });
  const { code, out, error } = await ran(root, ["listNew"], propose);
  expect({ code, error }).toEqual({ code: 0, error: expect.stringContaining(fault) });
  expect(out).toContain('@rest(operation: "listNew")');
});

test("a proposed enum has the name of the schema's enum of the same values", async () => {
  const root = project({
    "spec/openapi.yaml": widgets(),
    "spec/schema.graphql":
      'type Query { old: Old @rest(operation: "listOld") } type Old { state: OldState } enum OldState { on off }',
    "spec/rest-only.yaml": "",
    "spec/operations/depot.graphql": "",
  });
  const { out } = await ran(root, ["listNew"], propose);
  expect(out).toContain("state: OldState");
  expect(out).not.toContain("enum ");
});

/** What other people's documents have: wide ids, times as integers, ignored headers, cookies, nested query objects, odd names. */
import { expect, test } from "vitest";
import { proposed } from "./proposed.ts";

const integer = { type: "integer" };
const wide = { type: "integer", format: "int64" };
const string = { type: "string" };

const document = JSON.stringify({
  openapi: "3.0.3",
  info: { title: "Harbour", version: "1" },
  security: [{ key: [] }],
  paths: {
    "/ships/{shipId}": {
      get: {
        operationId: "getShip",
        parameters: [
          { name: "shipId", in: "path", required: true, schema: wide },
          { name: "Accept", in: "header", required: true, schema: string },
          { name: "X-Key", in: "header", required: true, schema: string },
          { name: "theme", in: "cookie", schema: string },
          {
            name: "filter",
            in: "query",
            style: "deepObject",
            schema: {
              type: "object",
              properties: { flag: string, built: { type: "object", properties: { gte: string } } },
            },
          },
        ],
        responses: {
          200: {
            description: "ok",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Int" } } },
          },
        },
      },
      put: {
        operationId: "putShip",
        parameters: [{ name: "shipId", in: "path", required: true, schema: wide }],
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: { type: "object", properties: { portId: wide, berth: string } } },
          },
        },
        responses: { 204: { description: "done" } },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: "apiKey", in: "header", name: "x-key" } },
    schemas: {
      Int: {
        type: "object",
        required: ["id"],
        properties: {
          id: wide,
          crew_ids: { type: "array", items: integer },
          masts: integer,
          launchedAt: integer,
          seen: { type: "integer", description: "In milliseconds." },
          heard: { type: "integer", example: 1_700_000_000_000 },
          paid: wide,
          dues: { type: "array", items: wide },
          berths: { ...wide, minimum: 0, maximum: 1_000_000_000_000 },
          total_count: wide,
        },
        additionalProperties: string,
      },
    },
  },
});

test("ids are exact, what may be large is no Int, and what cannot be sent or shown is said", async () => {
  const sdl = await proposed(document, ["getShip", "putShip"]);
  const [, arguments_ = ""] = /ship\(([^)]*)\)/.exec(sdl) ?? [];
  expect(arguments_.trim().split(/\n\s*/)).toEqual(["shipId: ID!", "filter: FilterInput"]);
  expect(sdl).toContain('# Without the cookie "theme", which cannot be sent.');
  expect(sdl).toContain('# Without "built" of query "filter", which cannot be sent.');
  expect(sdl).toMatch(/input FilterInput \{\n {2}flag: String\n\}/);
  expect(sdl).toMatch(/input PutShipInput \{\n {2}portId: ID\n {2}berth: String\n\}/);
  expect(sdl).toMatch(
    /# Without the further properties .*\ntype GetShipInt \{\n {2}id: ID!\n {2}crewIds: \[ID!\]\n {2}masts: Int\n {2}launchedAt: Float\n {2}"In milliseconds\."\n {2}seen: Float\n {2}heard: Float\n {2}# A Float rounds [^\n]*\n {2}paid: Float\n {2}# A Float, too\.\n {2}dues: \[Float!\]\n {2}berths: Float\n {2}totalCount: Float\n\}/,
  );
});

test("members of an allOf that only annotate a reference make no type of their own", async () => {
  const reference = { $ref: "#/components/schemas/Crew" };
  const crew = (...members: object[]) => ({ allOf: [reference, ...members] });
  const schema = {
    type: "object",
    required: ["owner", "guest", "pilot", "cook"],
    properties: {
      owner: crew({ description: "Who owns it." }),
      guest: crew({ description: "Who sails along." }, { nullable: true }),
      pilot: crew({ nullable: false }),
      cook: crew({ properties: { meals: { type: "string" } } }),
    },
  };
  const responses = { 200: { description: "ok", content: { "application/json": { schema } } } };
  const ships = {
    openapi: "3.0.3",
    info: { title: "Ships", version: "1" },
    security: [],
    paths: { "/ship": { get: { operationId: "getShip", responses } } },
    components: { schemas: { Crew: { type: "object", properties: { name: { type: "string" } } } } },
  };
  expect(await proposed(JSON.stringify(ships), ["getShip"])).toContain(
    `
  "Who owns it."
  owner: Crew!
  "Who sails along."
  guest: Crew
  pilot: Crew!
  cook: GetShipCook!
`,
  );
});

/** The SDL of an operation whose response has the property `crew`, and the types besides `Ship`. */
async function crewOf(
  openapi: string,
  crew: object,
  more: object = {},
  required: readonly string[] = [],
): Promise<string> {
  const ship = { type: "object", required, properties: { flag: string, crew } };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Ship" } } };
  const responses = { 200: { description: "ok", content } };
  const schemas = { Ship: ship, Crew: { type: "object", properties: { name: string } }, ...more };
  const info = { title: "Ships", version: "1" };
  const paths = { "/ship": { get: { operationId: "getShip", responses } } };
  const document = JSON.stringify({ openapi, info, security: [], paths, components: { schemas } });
  return proposed(document, ["getShip"]);
}

const crewReference = { $ref: "#/components/schemas/Crew" };

const annotations = [
  { title: "Crew of the ship" },
  { description: "Who sails it." },
  { summary: "Who sails it." },
  { default: { name: "Ann" } },
  { deprecated: true },
  { readOnly: true },
  { writeOnly: false },
  { nullable: true },
  { nullable: false },
  { example: { name: "Ann" } },
  { examples: [{ name: "Ann" }] },
  { externalDocs: { url: "https://example.org" } },
  { xml: { name: "crew" } },
  { $comment: "see above" },
  { $anchor: "crew" },
  { $defs: { Other: {} } },
  { "x-order": 1 },
  { optional: true },
  { type: "object" },
  { type: ["object", "null"] },
  { title: "Crew", type: "object", example: {}, deprecated: true },
].map((annotation) => [JSON.stringify(annotation), annotation] as const);

test.each(annotations)("an annotation beside a reference makes no type: %s", async (_, annotation) => {
  for (const openapi of ["3.0.3", "3.1.0"]) {
    const members: readonly (readonly [openapi: string, crew: object])[] = [
      ["3.1.0", { ...crewReference, ...annotation }],
      ["3.0.3", { allOf: [crewReference], ...annotation }],
      ["3.1.0", { allOf: [crewReference, annotation] }],
      ["3.1.0", { allOf: [annotation, crewReference] }],
      ["3.1.0", { oneOf: [crewReference], ...annotation }],
      ["3.1.0", { anyOf: [crewReference, { type: "null" }], ...annotation }],
    ];
    for (const [, crew] of members.filter(([version]) => version === openapi)) {
      const sdl = await crewOf(openapi, crew);
      expect(sdl.match(/^(?:type|enum|scalar) \w+/gm)).toEqual(["type Query", "type Ship", "type Crew"]);
      expect(sdl).toMatch(/^ {2}crew: Crew(?: @deprecated.*)?$/m);
    }
  }
});

test.each<[openapi: string, crew: object, type: string]>([
  ["3.1.0", { ...crewReference, title: "Crew" }, "Crew!"],
  ["3.1.0", { ...crewReference, nullable: true }, "Crew"],
  ["3.1.0", { ...crewReference, nullable: false }, "Crew!"],
  ["3.1.0", { ...crewReference, type: ["object", "null"] }, "Crew!"],
  ["3.1.0", { anyOf: [crewReference, { type: "null" }], type: ["object", "null"] }, "Crew"],
  ["3.1.0", { anyOf: [crewReference, { type: "null" }], type: "object" }, "Crew!"],
  ["3.0.3", { allOf: [crewReference], type: "object", nullable: true }, "Crew"],
  ["3.0.3", { allOf: [crewReference, { type: "object", nullable: true }] }, "Crew!"],
])("a reference is null only if all keywords beside it allow null: %s %j", async (openapi, crew, type) => {
  expect(await crewOf(openapi, crew, {}, ["crew"])).toContain(`  crew: ${type}\n`);
});

test.each<[keywords: object, schema: object, type: RegExp]>([
  [{ enum: ["mate"] }, { type: "string", enum: ["mate", "cook"] }, /enum ShipCrew \{\n {2}MATE\n\}/],
  [{ const: "mate" }, { type: "string", enum: ["mate", "cook"] }, /enum ShipCrew \{\n {2}MATE\n\}/],
  [{ format: "date-time" }, { type: "string" }, /crew: DateTime\n/],
  [{ format: "int64" }, { type: "integer" }, /crew: Float\n/],
  [{ maximum: 9_000_000_000 }, { type: "integer", minimum: 5_000_000_000 }, /crew: Float\n/],
  [{ example: 9_000_000_000 }, { type: "integer" }, /crew: Float\n/],
  [{ type: "integer" }, { type: "number" }, /crew: Int\n/],
  [{ type: "integer" }, {}, /crew: Int\n/],
  [
    { properties: { rank: { type: "string" } } },
    { type: "object", properties: { name: {} } },
    /rank: String/,
  ],
  [{ required: ["name"] }, { type: "object", properties: { name: { type: "string" } } }, /name: String!/],
  [{ items: { type: "string" } }, { type: "array" }, /crew: \[String!\]/],
  [{ additionalProperties: { type: "string" } }, { type: "object" }, /crew: \[ShipCrewEntry!\] @restEntries/],
])("a keyword beside a reference that restricts values applies: %j", async (keywords, crew, type) => {
  expect(await crewOf("3.1.0", { ...crewReference, ...keywords }, { Crew: crew })).toMatch(type);
});

test("the members of an allOf that refine a list by the type of its items use the items' type", async () => {
  const list = (items: object) => ({ type: "object", properties: { data: { type: "array", items } } });
  const sdl = await crewOf(
    "3.0.3",
    {
      allOf: [
        { $ref: "#/components/schemas/Page" },
        { properties: { data: { type: "array", items: crewReference } } },
      ],
    },
    { Page: list({ type: "object" }) },
  );
  expect(sdl).toContain("data: [Crew!]\n");
  expect(sdl).toContain("type Crew {");
});

test("components that only repeat another one are types of a union", async () => {
  const base = { $ref: "#/components/schemas/Base" };
  const oneOf = ["Cat", "Dog", "Cow"].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const sdl = await crewOf(
    "3.1.0",
    { oneOf, discriminator: { propertyName: "kind" } },
    {
      Base: { type: "object", required: ["kind"], properties: { kind: string } },
      Cat: { type: "object", allOf: [base] },
      Dog: { ...base, title: "A dog" },
      Cow: { ...base, type: "object" },
    },
  );
  expect(sdl).toContain("union ShipCrew = Cat | Dog | Cow");
});

test.each<[string, place: string, schema: object, type: string]>([
  ["any value in the path", "path", {}, "String!"],
  ["any value with a limit in the path", "path", { minLength: 3 }, "String!"],
  ["a text or a number in the path", "path", { type: ["string", "integer"] }, "String!"],
  [
    "a UUID or a number",
    "path",
    { oneOf: [{ type: "string", format: "uuid" }, { type: "integer" }] },
    "String!",
  ],
  [
    "a date or a number",
    "path",
    { anyOf: [{ type: "string", format: "date" }, { type: "number" }] },
    "String!",
  ],
  ["a number or a boolean in the path", "path", { type: ["integer", "boolean"] }, "JSON!"],
  ["any value in a header", "header", {}, "String @restName(in: HEADER)"],
  ["any value in the query, which may be a list", "query", {}, "JSON"],
  ["a text or a number in the query", "query", { type: ["string", "integer"] }, "String"],
  [
    "a boolean or a text",
    "query",
    { anyOf: [{ type: "boolean" }, { const: "all" }, { type: "null" }] },
    "String",
  ],
  ["some values of two types", "query", { enum: [1, "all"] }, "JSON"],
  ["a text or a list", "query", { type: ["string", "array"], items: string }, "JSON"],
])("a parameter that can only be sent as text is a String: %s", async (_, place, schema, type) => {
  const parameter = { name: "Mast", in: place, required: place === "path", schema };
  const content = { "application/json": { schema: string } };
  const get = {
    operationId: "getMast",
    parameters: [parameter],
    responses: { 200: { description: "", content } },
  };
  const info = { title: "Masts", version: "1" };
  const paths = { [place === "path" ? "/masts/{Mast}" : "/masts"]: { get } };
  const document = JSON.stringify({ openapi: "3.1.0", info, security: [], paths });
  expect(await proposed(document, ["getMast"])).toContain(`    mast: ${type}\n`);
});

test("a body that is text is a String", async () => {
  const text = { content: { "text/plain": {} } };
  const read = { operationId: "getNote", responses: { 200: { description: "ok", ...text } } };
  const put = { operationId: "putNote", requestBody: { required: true, ...text }, responses: read.responses };
  const info = { title: "Notes", version: "1" };
  const notes = { openapi: "3.0.3", info, security: [], paths: { "/note": { get: read, put } } };
  const sdl = await proposed(JSON.stringify(notes), ["getNote", "putNote"]);
  expect(sdl).toContain("input: String!\n");
});

test.each<[string, object, string]>([
  ["a list of texts", { type: "array", items: { type: "string" } }, "[String!]!"],
  [
    "lists of numbers",
    { type: "array", items: { type: "array", items: { type: "number" } } },
    "[[Float!]!]!",
  ],
  [
    "a list of objects",
    { type: "array", items: { type: "object", properties: { port: { type: "string" } } } },
    "[AddCrewsInput!]!",
  ],
  ["a list of enum values", { type: "array", items: { type: "string", enum: ["mate"] } }, "[AddCrews!]!"],
  ["an enum value", { type: "string", enum: ["mate"] }, "AddCrews!"],
  ["a small integer", { type: "integer", format: "int32" }, "Int!"],
  [
    "a list of integers of 64 bits",
    { type: "array", items: { type: "integer", format: "int64" } },
    "[JSON!]!",
  ],
  ["a boolean", { type: "boolean" }, "Boolean!"],
  ["a map", { type: "object", additionalProperties: { type: "string" } }, "JSON!"],
])("a body that is not an object has its own type: %s", async (_, schema, input) => {
  const ok = { 200: { description: "ok", content: { "application/json": { schema: { type: "string" } } } } };
  const requestBody = { required: true, content: { "application/json": { schema } } };
  const paths = {
    "/crews": {
      get: { operationId: "getCrews", responses: ok },
      post: { operationId: "addCrews", requestBody, responses: ok },
    },
  };
  const crews = { openapi: "3.1.0", info: { title: "Crews", version: "1" }, security: [], paths };
  const sdl = await proposed(JSON.stringify(crews), ["getCrews", "addCrews"]);
  expect(sdl).toContain(`input: ${input}\n`);
});

test("a list whose items are not said is any JSON value, in a request too", async () => {
  const list = { type: "array" };
  const content = { "application/json": { schema: { type: "object", properties: { loose: list } } } };
  const get = {
    operationId: "getDock",
    responses: { 200: { description: "ok", content } },
  };
  const post = {
    operationId: "addDock",
    requestBody: { content },
    responses: { 204: { description: "ok" } },
  };
  const dock = {
    openapi: "3.0.3",
    info: { title: "t", version: "1" },
    security: [],
    paths: { "/dock": { get, post } },
  };
  const out = await proposed(JSON.stringify(dock), ["getDock", "addDock"]);
  expect(out.match(/^ *loose: .*/gm)).toEqual(["  loose: JSON", "  loose: JSON"]);
});

test("the description of a list, a table or code keeps its lines", async () => {
  const list =
    'The state, one of:\r\n- `open`: it can\n  be used\n    - at once\n\n\n- `shut`: it says """no"""  ';
  const described = (description: string, more: object = { type: "string" }) => ({ description, ...more });
  const ship = {
    type: "object",
    description: "# Ship\n1. sails",
    properties: {
      state: described(list, { type: "string", enum: ["open", "shut"] }),
      size: described("\nMasts\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
      code: described("Like\n```\nx\n```"),
      text: described("A paragraph\nof two lines.\n\nAnother - with a dash."),
      item: described("- one item"),
      odd: described("Rings:\n- \u0007"),
    },
  };
  const parameters = [
    { name: "page", in: "query", schema: { type: "integer", default: 1 } },
    { name: "state", in: "query", description: list, schema: string },
  ];
  const page = {
    type: "object",
    properties: { items: { type: "array", items: ship }, stats: described(list) },
  };
  const get = {
    operationId: "getShips",
    parameters,
    responses: { 200: { description: "ok", content: { "application/json": { schema: page } } } },
  };
  const info = { title: "Ships", version: "1" };
  const sdl = await proposed(
    JSON.stringify({ openapi: "3.1.0", info, security: [], paths: { "/ships": { get } } }),
    ["getShips"],
  );
  const block = (indent: string): string =>
    ['"""', "The state, one of:", "- `open`: it can", "  be used", "    - at once", "", "- `shut`: it says "]
      .map((line) => line && indent + line)
      .join("\n") +
    '\\"""no\\"""\n' +
    `${indent}"""\n`;
  expect(sdl).toContain(`${block("    ")}    state: String\n`);
  expect(sdl).toContain(`${block("  ")}  state: GetShipsState\n`);
  expect(sdl).toContain(`${block("  ")}  stats: String\n`);
  expect(sdl).toContain('"""\n# Ship\n1. sails\n"""\ntype GetShips {');
  expect(sdl).toContain('  """\n  Masts\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n  """\n  size: String\n');
  expect(sdl).toContain('  """\n  Like\n  ```\n  x\n  ```\n  """\n  code: String\n');
  expect(sdl).toContain('  "A paragraph of two lines. Another - with a dash."\n  text: String\n');
  expect(sdl).toContain('  "- one item"\n  item: String\n');
  expect(sdl).toContain('  "Rings: - \\u0007"\n  odd: String\n');
  expect(sdl).not.toMatch(/[ \t]$/m);
});

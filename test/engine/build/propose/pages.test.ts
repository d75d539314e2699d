/** The connections that `npm run propose` prints for lists with pages, and the lists that stay lists. */
import { expect, test } from "vitest";
import { emitSchema } from "../../../../src/engine/build/codegen/emit-schema.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { proposed } from "./proposed.ts";

const things = { type: "array", items: { $ref: "#/components/schemas/Thing" } };
const integer = { type: "integer", format: "int32" };

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
            parameters: Object.entries(parameters).map(([name, own]) => ({
              ...{ name, in: "query", schema: own },
              ...("description" in own && { description: own.description }),
            })),
            responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
          },
        },
      ]),
    ),
    components: {
      schemas: { Thing: { type: "object", required: ["id"], properties: { id: { type: "string" } } } },
    },
  });

/** What propose prints for all operations of the document. */
const proposedAll = (document: string): Promise<string> =>
  proposed(
    document,
    Object.keys(JSON.parse(document).paths).map((path) => path.slice(1)),
  );

test("propose prints a connection for a list with a cursor, and its types once", async () => {
  const text = { type: "string" };
  const out = await proposedAll(
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
  const out = await proposedAll(
    documentOf({
      listThings: [
        // of two without a default, the declared minimum is more certain
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

test("the cursor of a counted connection does not have the description of a number", async () => {
  const answer = { type: "object", required: ["data"], properties: { data: things } };
  const begin = { type: "integer", format: "int32", default: 1, description: "Where to begin." };
  const limit = { type: "integer", format: "int32", description: "How many." };
  const document = documentOf({
    listThings: [{ offset: begin, limit }, answer],
    findThings: [{ page: begin, limit }, answer],
  });
  const schema = await proposedAll(document);
  expect(schema).toMatch(/pages: OFFSET[\s\S]*pages: NUMBERED/);
  expect(schema).toContain("How many.");
  expect(schema).not.toContain("Where to begin.");
  const files = { "schema.graphql": schema.replaceAll(/^ *"How many\."\n/gm, ""), "openapi.yaml": document };
  const { model } = new Project(textFiles(new Map(Object.entries(files))));
  const served = model ? emitSchema(model) : "";
  expect(served).toContain("How many.");
  expect(served).not.toContain("Where to begin.");
});

test("pages with numbers need no size", async () => {
  const answer = { type: "object", required: ["items"], properties: { items: things } };
  const page = { type: "integer", format: "int32", default: 1 };
  const out = await proposedAll(documentOf({ listThings: [{ page }, answer] }));
  expect(out).toContain('@rest(operation: "listThings", connection: { items: "items", pages: NUMBERED })');
});

test.each([
  [
    "a number",
    { meta: { type: "object", properties: { next_page: { type: ["integer", "null"] } } } },
    "meta.next_page",
  ],
  ["a number named nextPageNumber", { nextPageNumber: { type: ["integer", "null"] } }, "nextPageNumber"],
  ["a text", { links: { type: "object", properties: { next: { type: ["string", "null"] } } } }, "links.next"],
  ["a path", { next_url: { type: ["string", "null"] } }, "next_url"],
  [
    "a flag beside a number",
    { next_page: { type: ["integer", "null"] }, has_more: { type: "boolean" } },
    "has_more",
  ],
])("numbered pages end where %s says so", async (_what, properties, more) => {
  const answer = { type: "object", required: ["items"], properties: { items: things, ...properties } };
  const out = await proposedAll(
    documentOf({ listThings: [{ page: { ...integer, default: 1 }, limit: integer }, answer] }),
  );
  expect(out).toContain(`connection: { items: "items", more: "${more}", pages: NUMBERED })`);
});

test.each([
  ["a number that is always present", { next_page: integer }, { page: integer }, "NUMBERED"],
  [
    "the number of the previous page",
    { prev_page: { type: ["integer", "null"] } },
    { page: integer },
    "NUMBERED",
  ],
  ["a number of the next page", { next_page: { type: ["integer", "null"] } }, { offset: integer }, "OFFSET"],
])("%s does not determine the last page", async (_what, properties, parameters, pages) => {
  const required = ["items", ...Object.keys(properties)];
  const answer = { type: "object", required, properties: { items: things, ...properties } };
  const out = await proposedAll(documentOf({ listThings: [parameters, answer] }));
  expect(out).toContain(`connection: { items: "items", pages: ${pages} })`);
});

test.each([
  ["total_count", ', total: "total_count"'],
  ["total", ""], // it may be the number of pages
  ["total_pages", ""],
])("of numbered pages, %s is read as the number of all items: %s", async (name, total) => {
  const answer = { type: "object", properties: { items: things, [name]: integer } };
  const out = await proposedAll(documentOf({ listThings: [{ page: integer, per_page: integer }, answer] }));
  expect(out).toContain(`connection: { items: "items"${total}, pages: NUMBERED })`);
  const field = name.replace(/_(\w)/, (_match, letter: string) => letter.toUpperCase());
  expect(out).toContain(`  ${field}: Int\n`);
});

test("pages with equal fields share a connection, others do not", async () => {
  const pageOf = (others: object, key: string): object => ({
    allOf: [
      { type: "object", properties: others },
      { type: "object", properties: { [key]: things } },
    ],
  });
  const query = { page: integer, per_page: integer };
  const out = await proposedAll(
    documentOf({
      listThings: [query, pageOf({ count: integer }, "things")],
      listMyThings: [query, pageOf({ count: integer }, "things")],
      listNewThings: [query, pageOf({ pages: integer }, "things")],
    }),
  );
  expect(out.match(/type \w+ \{/g)).toEqual([
    "type Query {",
    "type Thing {",
    "type ThingEdge {",
    "type PageInfo {",
    "type ThingConnection {",
    "type ListNewThingsThingConnection {",
  ]);
});

test("an object around the end of the pages stays a field if it has other properties", async () => {
  const answerOf = (meta: object) => ({
    type: "object",
    required: ["items"],
    properties: {
      items: things,
      meta: {
        type: "object",
        properties: { next_page: { type: ["integer", "null"], format: "int32" }, ...meta },
      },
    },
  });
  const parameters = { page: { ...integer, default: 1 } };
  const out = await proposedAll(documentOf({ listThings: [parameters, answerOf({ total_count: integer })] }));
  expect(out).toMatch(/type ThingConnection \{[^}]* meta: \w+Meta\n\}/);
  expect(out).toMatch(/Meta \{\n {2}nextPage: Int\n {2}totalCount: Int\n\}/);
  expect(await proposedAll(documentOf({ listThings: [parameters, answerOf({})] }))).not.toMatch(/meta:/i);
});

test("a default of another type says neither where pages begin nor how long they are", async () => {
  const of = (begin: unknown): Promise<string> => {
    const page = { type: "integer", format: "int32", default: begin };
    const per_page = { type: "integer", format: "int32", default: "20" };
    return proposedAll(documentOf({ listThings: [{ page, per_page }, things] }));
  };
  expect(await of("1")).toContain("  things(\n    page: Int\n");
  expect(await of(1)).toContain('first: Int = 20 @restName(name: "per_page")');
});

const address = { type: "string", format: "uri" };
const number = { type: "number" };

test.each([
  ["a cursor", { next: address }, { cursor: { type: "string" } }, "next", "cursor"],
  [
    "a cursor, by the address's description",
    {
      links: { type: "object", properties: { next_url: { type: "string", description: "A URL to call." } } },
    },
    { cursor: { type: "string" } },
    "links.next_url",
    "cursor",
  ],
  [
    "a cursor that comes with a number",
    { next_page_uri: { type: ["string", "null"], format: "uri" } },
    { Page: integer, PageToken: { type: "string" }, PageSize: integer },
    "next_page_uri",
    "PageToken",
  ],
  ["a page's number of unknown begin", { next: address }, { page: integer }, "next", "page"],
  ["the last item's id", { next: address }, { since: integer }, "next", "since"],
  [
    "the last item's id, called after",
    { next: address },
    { starting_after: integer },
    "next",
    "starting_after",
  ],
])("the next page's address is read for %s", async (_what, properties, parameters, next, after) => {
  const answer = { type: "object", required: ["items"], properties: { items: things, ...properties } };
  const out = await proposedAll(documentOf({ listThings: [parameters, answer] }));
  expect(out).toContain(`after: String @restName(name: "${after}")`);
  expect(out).toContain(`connection: { items: "items", next: "${next}", pages: LINKED })`);
});

test.each([
  [
    "an address that may go backwards",
    { next: address },
    { after: { type: "string" }, before: { type: "string" } },
  ],
  ["an address that no parameter reads on by", { next: address }, { q: { type: "string" } }],
  ["a time to begin at", { next: address }, { since: { type: "string", format: "date-time" } }],
  ["a number next to a cursor", {}, { page: integer, page_token: { type: "string" } }],
  ["a cursor that no parameter takes", { next: { type: "string" } }, { q: { type: "string" } }],
  [
    "a cursor that is a number",
    { next: { type: "integer", format: "int32" } },
    { cursor: { type: "string" } },
  ],
  [
    "pages of an unknown first number",
    {},
    {
      page: { type: "integer", format: "int32", default: "1" },
      limit: { type: "integer", format: "int32", maximum: 9 },
    },
  ],
])("a list with %s stays a list", async (_what, properties, parameters) => {
  const answer = { type: "object", required: ["items"], properties: { items: things, ...properties } };
  const out = await proposedAll(documentOf({ listThings: [parameters, answer] }));
  expect(out).toContain('  ): [Thing!]\n    @rest(operation: "listThings", result: "items")\n');
});

test.each([
  ["offset", {}, "OFFSET", 0],
  ["skip", {}, "OFFSET", 0],
  ["page", {}, "NUMBERED", 1],
  ["page", { description: "A zero-based number." }, "NUMBERED", 0],
  ["page", { description: "Pages start at 0." }, "NUMBERED", 0],
  ["page", { description: "The page index." }, "NUMBERED", 0],
  ["pageIndex", {}, "NUMBERED", 0],
])(
  "%s without a default, %j, is a connection that begins where it does by definition",
  async (name, more, pages, from) => {
    const answer = {
      type: "object",
      required: ["items"],
      properties: { items: things, more: { type: "boolean" } },
    };
    const parameters = { [name]: { ...integer, ...more }, limit: integer };
    const document = documentOf({ listThings: [parameters, answer] });
    const schema = await proposedAll(document);
    expect(schema).toContain(`connection: { items: "items", more: "more", pages: ${pages} })`);
    const files = { "schema.graphql": schema, "openapi.yaml": document };
    const { model } = new Project(textFiles(new Map(Object.entries(files))));
    expect(model?.fields.get("Query.things")).toMatchObject({ connection: { next: { from } } });
  },
);

test("a first page that is a guess is said to be one if other operations begin elsewhere", async () => {
  const answer = { type: "object", required: ["items"], properties: { items: things } };
  const from = (page: object) =>
    documentOf({ listThings: [{ page: integer }, answer], listOthers: [{ page }, answer] });
  const comment = `  # The first page has the query "page" 1, which is a guess: other operations begin at 0.
  # If this one does too, add "default: 0" to the schema of its parameter in the overlay.
`;
  const out = await proposedAll(from({ ...integer, default: 0 }));
  expect(out.split(comment)).toHaveLength(2);
  expect(out).toMatch(/overlay\.\n {2}things\(/);
  expect(await proposedAll(from({ ...integer, default: 1 }))).not.toContain("guess");
  expect(await proposedAll(from(integer))).not.toContain("guess");
});

test("a parameter named as a list that takes one value is said to be one", async () => {
  const out = await proposedAll(
    documentOf({
      countThings: [{ "statuses[]": { type: "string" } }, { type: "object", properties: { count: integer } }],
    }),
  );
  expect(out).toContain(
    "# One value, as REST documents statuses[]. If it takes several, document an array, in an overlay.",
  );
});

test("a cursor may be nested two objects deep, and a list of errors beside the page is not its items", async () => {
  const text = { type: "string" };
  const objectOf = (properties: object) => ({ type: "object", properties });
  const out = await proposedAll(
    documentOf({
      listDeep: [
        { starting_after: text, per_page: { type: "integer", default: 20 } },
        objectOf({
          data: things,
          pages: objectOf({ page: { type: "integer" }, next: objectOf({ starting_after: text }) }),
        }),
      ],
      listBeside: [
        { cursor: text, limit: { type: "integer", default: 20 } },
        objectOf({ errors: { type: "array", items: objectOf({ code: text }) }, rows: things, cursor: text }),
      ],
    }),
  );
  expect(out).toContain('connection: { items: "data", next: "pages.next.starting_after" }');
  expect(out).toContain('connection: { items: "rows", next: "cursor" }');
});

test.each([
  [
    "page",
    { page: number, limit: { ...number, maximum: 50 } },
    "pages: NUMBERED",
    { next: { from: 1 }, most: 50 },
  ],
  [
    "page from 0, with limits that have a fraction",
    { page: { ...number, minimum: 0 }, limit: { ...number, default: 10.5, maximum: 12.5 } },
    "pages: NUMBERED",
    { next: { from: 0, full: 12 }, first: 12, most: 12 },
  ],
  [
    "offset",
    { skip: number, take: number },
    'total: "total", pages: OFFSET',
    { next: { from: 0 }, first: 20 },
  ],
  ["cursor", { cursor: { type: "string" }, limit: number }, 'next: "nextCursor"', { first: 20 }],
] as const)(
  "a %s and a size that are of type number page as integers do",
  async (_what, parameters, connection, page) => {
    const answer = {
      type: "object",
      required: ["items", "total"],
      properties: { items: things, total: number, nextCursor: { type: ["string", "null"] } },
    };
    const document = documentOf({ listThings: [parameters, answer] });
    const schema = await proposedAll(document);
    expect(schema).toContain(`connection: { items: "items", ${connection} })`);
    expect(schema).toMatch(/ first: Int(?: = 20| = 12)? @restName/);
    const files = { "schema.graphql": schema, "openapi.yaml": document };
    const { model } = new Project(textFiles(new Map(Object.entries(files))));
    expect(model?.fields.get("Query.things")).toMatchObject({ connection: page });
  },
);

test.each([
  ["next_page", true],
  ["page", false],
])("an offset that is text is a cursor in an object named %s: %j", async (name, isCursor) => {
  const text = { type: "string" };
  const limit = { ...integer, minimum: 1, maximum: 100 };
  const next = { type: ["object", "null"], properties: { offset: text, path: text, uri: address } };
  const answer = { type: "object", properties: { data: things, [name]: next } };
  const document = documentOf({ listThings: [{ offset: text, limit }, answer] });
  const schema = await proposedAll(document);
  if (isCursor) expect(schema).toContain(`connection: { items: "data", next: "${name}.offset" })`);
  else expect(schema).not.toContain("connection:");
  const files = { "schema.graphql": schema, "openapi.yaml": document };
  const { model } = new Project(textFiles(new Map(Object.entries(files))));
  expect(model?.fields.get("Query.things")).toMatchObject({ definition: { name: "things" } });
});

const objectOf = (properties: object) => ({ type: "object", properties });
const text = { type: "string" };
const flag = { type: "boolean" };
const listOf = (properties: object) => ({ type: "array", items: objectOf(properties) });

test.each([
  ["marker", { entries: things, order: listOf({ by: text }), next_marker: text }, "entries", "next_marker"],
  ["pageToken", { rows: things, nextPageToken: text }, "rows", "nextPageToken"],
  ["nextToken", { rows: things, nextToken: text }, "rows", "nextToken"],
  ["continuationToken", { rows: things, nextContinuationToken: text }, "rows", "nextContinuationToken"],
  ["page[after]", { data: things, meta: objectOf({ after_cursor: text }) }, "data", "meta.after_cursor"],
  ["pagination_token", { data: things, meta: objectOf({ next_token: text }) }, "data", "meta.next_token"],
])("the cursor %s reads on by the response's %j", async (name, properties, items, next) => {
  const out = await proposedAll(documentOf({ listThings: [{ [name]: text }, objectOf(properties)] }));
  expect(out).toContain(`connection: { items: "${items}", next: "${next}" })`);
});

test.each([
  ["a cursor", { iterator: text }, { iterator: text, done: flag }, 'next: "iterator", last: "done"'],
  [
    "a page number",
    { page: { ...integer, default: 0 } },
    { last: flag, totalElements: integer },
    'last: "last", pages: NUMBERED',
  ],
  [
    "an offset",
    { offset: integer },
    { total: integer, page: objectOf({ is_last: flag }) },
    'last: "page.is_last", pages: OFFSET',
  ],
  [
    "two flags",
    { cursor: text },
    { next: text, last: flag, has_more: flag },
    'next: "next", more: "has_more"',
  ],
  ["a flag of something else", { offset: integer }, { job: objectOf({ done: flag }) }, "pages: OFFSET"],
  ["a number of the last page", { page: { ...integer, default: 1 } }, { last: integer }, "pages: NUMBERED"],
])("a flag that is true on the last page ends a list: %s", async (_what, parameters, properties, written) => {
  const out = await proposedAll(
    documentOf({ listThings: [parameters, objectOf({ content: things, ...properties })] }),
  );
  expect(out).toContain(`connection: { items: "content", ${written} })`);
});

test("a last id is a cursor beside a flag", async () => {
  const properties = { data: things, last_id: text, first_id: text };
  const of = (more: object) =>
    proposedAll(documentOf({ listThings: [{ after: text }, objectOf({ ...properties, ...more })] }));
  expect(await of({ has_more: { type: "boolean" } })).toContain(
    'connection: { items: "data", next: "last_id", more: "has_more" })',
  );
  expect(await of({})).not.toContain("connection: {");
});

test.each([
  ["named like the path", { people: listOf({ id: text }), things: listOf({ name: text }) }, "things"],
  ["with a usual name", { tags: listOf({ id: text }), results: listOf({ name: text }) }, "results"],
  ["of objects", { tags: { type: "array", items: text }, rows2: listOf({ name: text }) }, "rows2"],
  ["of objects with ids", { sorts: listOf({ by: text }), found: listOf({ id: text }) }, "found"],
])("of several lists beside a cursor the page is the one %s", async (_what, lists, items) => {
  const answer = objectOf({ ...lists, next: text });
  const out = await proposedAll(documentOf({ things: [{ cursor: text }, answer] }));
  expect(out).toContain(`connection: { items: "${items}", next: "next" })`);
});

test("cursors that a flag turns on are left to it: pages begin at the offset", async () => {
  const flagged = { usemarker: { type: "boolean" }, marker: text };
  const answer = objectOf({ entries: things, next_marker: text, total_count: integer });
  const out = await proposedAll(
    documentOf({
      listThings: [{ ...flagged, offset: integer, limit: integer }, answer],
      findThings: [flagged, answer],
    }),
  );
  expect(out).toContain('connection: { items: "entries", total: "total_count", pages: OFFSET })');
  expect(out).toContain(
    '# No connection reads the pages of REST: REST sends cursors only if query "usemarker" is true.',
  );
});

test.each([
  [
    'which of "active", "former" is the page is unknown',
    { cursor: text },
    { active: things, former: things, next: text },
  ],
  [
    'the response has no text that query "cursor" takes for the next page',
    { cursor: text },
    { items: things },
  ],
  [
    '"next_marker" is integer (int32), and query "marker" takes string',
    { marker: text },
    { items: things, next_marker: integer },
  ],
  [
    'where query "page" begins is unknown without a default or minimum',
    { page: { ...integer, default: "1" } },
    { items: things },
  ],
  ['query "offset" is string', { offset: text }, { items: things }],
])("a comment says why there is no connection: %s", async (reason, parameters, properties) => {
  const out = await proposedAll(documentOf({ listThings: [parameters, objectOf(properties)] }));
  expect(out).toContain(`  # No connection reads the pages of REST: ${reason}.\n`);
});

test.each([
  ["a time", { after: { ...text, format: "date-time" } }, { items: listOf({ name: text }) }],
  ["an object with lists of text", { offset: integer }, { tags: { type: "array", items: text }, id: text }],
])("%s is not about pages", async (_what, parameters, properties) => {
  const out = await proposedAll(documentOf({ listThings: [parameters, objectOf(properties)] }));
  expect(out).not.toContain("pages of REST");
});

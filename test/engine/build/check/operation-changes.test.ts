/** The changes of an operation itself since a base: its body and its credentials. */
import { expect, test } from "vitest";
import type { Report } from "../../../../src/engine/build/check/report.ts";
import { stepFindings, stepReport } from "./in-memory.ts";
import { depotOpenapi, depotSchema, edited } from "./run.ts";

test("a body in another media type breaks who sends it, unless REST still takes the old one", async () => {
  const form = "application/x-www-form-urlencoded";
  const body = (...media: readonly string[]): string => {
    const schema = "            schema:\n              $ref: '#/components/schemas/NewParcel'\n";
    const content = (each: readonly string[]): string =>
      `        content:\n${each.map((type) => `          ${type}:\n${schema}`).join("")}`;
    return edited(depotOpenapi, content(["application/json"]), content(media));
  };
  const was = { "spec/openapi.yaml": body(form) };
  const changesOf = async (openapi: string): Promise<Report["changes"]> =>
    (await stepReport(was, { "spec/openapi.yaml": openapi })).changes;
  expect(await changesOf(body("application/json"))).toMatchObject([
    {
      rule: "rest-body-changed",
      class: "breaking",
      message: `POST /api/parcels takes a body in application/json now, it was ${form}`,
      coordinates: ["Mutation.createParcel"],
    },
  ]);
  for (const still of [["application/json", form], [`${form}; charset=utf-8`], ['"*/*"'], ["application/*"]])
    expect(await changesOf(body(...still))).toEqual([]);
});

test("a text part that becomes a file is one finding, and so is a file that a multipart form newly requires", async () => {
  const parts = edited(
    depotOpenapi,
    "application/json:\n            schema:\n              $ref: '#/components/schemas/NewParcel'",
    "multipart/form-data:\n            schema:\n              $ref: '#/components/schemas/NewParcel'",
  );
  const notes = "        notes:\n          type: array\n          items:\n            type: string\n";
  const was = { "spec/openapi.yaml": parts };
  const messagesOf = async (openapi: string): Promise<string[]> =>
    (await stepReport(was, { "spec/openapi.yaml": openapi })).changes.map(({ message }) => message);
  expect(await messagesOf(parts)).toEqual([]);
  expect(await messagesOf(edited(parts, notes, `${notes}            format: binary\n`))).toEqual([
    'body "notes" of parcel_create is a file, which cannot be sent there',
  ]);
  const photo = "        photo: { type: string, format: binary }\n";
  expect(await messagesOf(edited(parts, notes, notes + photo))).toEqual([]);
  const required = edited(parts, "[barcode, worth, receiver]", "[barcode, worth, receiver, photo]");
  expect(await messagesOf(edited(required, notes, notes + photo))).toEqual([
    'parcel_create requires a body of multipart/form-data whose part "photo" is a file, which no binding can feed',
  ]);
});

test("an answer in another media type is not said to be without content", async () => {
  const answer = (...successes: readonly string[]): string =>
    edited(
      depotOpenapi,
      "\npaths:\n",
      `\npaths:\n  /api/note:\n    get:\n      operationId: getNote\n      responses: { ${successes.join(", ")} }\n`,
    );
  const content = (status: number, media: string): string =>
    `"${status}": { description: A note., content: { ${media}: { schema: { type: string } } } }`;
  const json = content(200, "application/json");
  const was = {
    "spec/openapi.yaml": answer(json),
    "spec/schema.graphql": edited(
      depotSchema,
      "type Query {",
      'type Query {\n  "Note."\n  note: String @rest(operation: "getNote")',
    ),
  };
  const messagesOf = async (openapi: string): Promise<string[]> =>
    (await stepReport(was, { "spec/openapi.yaml": openapi })).changes.map(({ message }) => message);
  expect(await messagesOf(answer(content(200, "application/xml")))).toEqual([
    "getNote documents no JSON or text response",
  ]);
  // the field may be null
  expect(await messagesOf(answer(json, content(202, "application/xml")))).toEqual([]);
  expect(await messagesOf(answer(json, '"202": { description: Not written yet. }'))).toEqual([]);
  expect(await messagesOf(answer('"204": { description: Nothing. }'))).toEqual([
    "GET /api/note has no JSON response now",
  ]);
});

test("a newly required scope is named after its scheme, in a readable sentence", async () => {
  const spec = (security: string): string =>
    edited(
      edited(
        depotOpenapi,
        "\ncomponents:",
        "\ncomponents:\n  securitySchemes:\n    login: { type: openIdConnect, openIdConnectUrl: https://login.example }\n    key: { type: apiKey, in: header, name: X-Key }",
      ),
      "\nsecurity: []",
      `\nsecurity: ${security}`,
    );
  const messageOf = async (before: string, after: string): Promise<string | undefined> => {
    const was = { "spec/openapi.yaml": spec(before) };
    const { changes } = await stepReport(was, { "spec/openapi.yaml": spec(after) });
    expect(changes).toHaveLength(1);
    return changes[0]?.message;
  };
  expect(await messageOf("[{ login: [read] }]", "[{ login: [read, parcels], key: [] }, { key: [] }]")).toBe(
    "the document takes key or login (read, parcels) and key now, it took login (read)",
  );
  expect(await messageOf("[{ login: [read] }]", "[{ login: [read, parcels] }]")).toBe(
    "the document needs the scope parcels of login too now",
  );
  expect(await messageOf("[]", "[{ key: [] }]")).toBe("the document takes key now, it took no credentials");
});

test("security that one operation states for itself now is said of this operation, and of each other one", () => {
  const answer = {
    200: { description: "ok", content: { "application/json": { schema: { type: "boolean" } } } },
  };
  const document = (...closed: string[]): string => {
    const paths = ["a", "b", "c"].map((operationId) => {
      const own = closed.includes(operationId) ? { security: [{ basic: [] }] } : {};
      return [`/${operationId}`, { get: { operationId, responses: answer, ...own } }];
    });
    const components = { securitySchemes: { basic: { type: "http", scheme: "basic" } } };
    const info = { title: "t", version: "1" };
    return JSON.stringify({ openapi: "3.0.3", info, paths: Object.fromEntries(paths), components });
  };
  const schema = `type Query { a: Boolean @rest(operation: "a") b: Boolean @rest(operation: "b") c: Boolean @rest(operation: "c") }`;
  const messages = (was: string, is: string): string[] =>
    stepFindings(schema, was, is).map(({ message }) => message);
  expect(messages(document(), document("b"))).toEqual(["GET /b takes basic now, it took no credentials"]);
  expect(messages(document(), document("b", "c"))).toEqual([
    "GET /b takes basic now, it took no credentials",
    "GET /c takes basic now, it took no credentials",
  ]);
});

test("a path that moves is one finding, with each of its operations", () => {
  const openapi = (path: string): string => {
    const responses = {
      200: { description: "ok", content: { "application/json": { schema: { type: "boolean" } } } },
    };
    const item = { get: { operationId: "read", responses }, delete: { operationId: "remove", responses } };
    const paths = { [path]: item, "/others": { get: { operationId: "others", responses } } };
    return JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, security: [], paths });
  };
  const schema = `type Query { read: Boolean @rest(operation: "read") others: Boolean @rest(operation: "others") }
type Mutation { remove: Boolean @rest(operation: "remove") }`;
  expect(stepFindings(schema, openapi("/things"), openapi("/v2/things"))).toMatchObject([
    {
      ...{ rule: "rest-operation-moved", message: "GET /things is at /v2/things now" },
      coordinates: ["Query.read", "Mutation.remove"],
      also: [{ coordinate: "Mutation.remove", message: "DELETE /things is at /v2/things now" }],
    },
  ]);
});

const json = (schema: object) => ({
  responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
});
const library = (paths: object, more: object = {}) =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    ...more,
    paths,
    components: {
      schemas: {
        Book: {
          type: "object",
          properties: { title: { type: "string" }, shelf: { $ref: "#/components/schemas/Shelf" } },
        },
        Shelf: { type: "object", properties: { place: { type: "string" } } },
      },
    },
  });
const reference = (name: string) => json({ $ref: `#/components/schemas/${name}` });
const shelf = { "/shelf": { get: { operationId: "getShelf", ...json({ type: "string" }) } } };
const both = { ...shelf, "/book": { get: { operationId: "getBook", ...reference("Book") } } };
const oneField = 'type Query { shelf: String @rest(operation: "getShelf") }';
const twoFields = `type Query {
  shelf: String @rest(operation: "getShelf")
  book: Book @rest(operation: "getBook")
}
type Book { title: String shelf: Shelf }
type Shelf { place: String }`;

test("another URL of the first server is one finding, and another spelling of it is none", () => {
  const at = (url: string, host = "a") =>
    library(both, { servers: [{ url, variables: { host: { default: host } } }] });
  const changes = (was: string, is: string) =>
    stepFindings(twoFields, was, is).map(({ rule, change, message, coordinates }) => [
      rule,
      change,
      message,
      coordinates,
    ]);
  expect(changes(at("https://a.example/v1"), at("https://b.example/v1"))).toEqual([
    [
      "rest-server-changed",
      "dangerous",
      "the document is of https://b.example/v1 now, it was of https://a.example/v1: calls go where REST_BASE_URL says",
      ["Query.shelf", "Query.book"],
    ],
  ]);
  expect(changes(at("https://{host}.example"), at("https://{host}.example", "b"))).toHaveLength(1);
  expect(changes(at("https://{host}.example"), at("https://a.example/"))).toEqual([]);
  expect(changes(library(both), at("https://a.example"))).toEqual([]);
});

test("a field that is removed after its operation takes its types with it, and cannot be kept", () => {
  const found = stepFindings(twoFields, library(both), library(shelf), oneField);
  expect(found).toMatchObject([
    {
      rule: "sdl-field-removed",
      coordinate: "Query.book",
      hint: "REST no longer has GET /book, so it cannot stay: tell the clients, and approve it",
      also: [{ coordinate: "Book" }, { coordinate: "Shelf" }],
    },
  ]);
  expect(found).toHaveLength(1);
  const [kept] = stepFindings(twoFields, library(both), library(both), oneField);
  expect(kept?.hint).toMatch(/^mark the field `@deprecated` first/);
});

test("the advice for a field whose operation is gone names the types that go with it", () => {
  const [found] = stepFindings(twoFields, library(both), library(shelf));
  expect(found).toMatchObject({
    rule: "operation-unknown",
    hint: "remove the field with the types that nothing else reaches (Book, Shelf), or bind it to another operation",
  });
});

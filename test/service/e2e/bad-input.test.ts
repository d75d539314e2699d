/** Bad input, in one table: each a clear coded error that names the argument; nothing stored, and no other route taken. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys, type Layer, startLayer } from "./layer.ts";

let layer: Layer;
beforeAll(async () => {
  layer = await startLayer();
});
afterAll(() => layer.close());

const post = (body: string): Promise<Response> => layer.post(body, { "x-api-key": keys.owner });
type Row = [name: string, query: string, variables: Record<string, unknown>, argument: string];
const codeOf = (answer: unknown): unknown => {
  const { code, errors } = answer as { code?: string; errors?: { extensions: { code: string } }[] };
  return code ?? errors?.[0]?.extensions.code;
};

test.each([
  ["malformed JSON", '{"query":', 400, "BAD_REQUEST"],
  ["an empty body", "", 400, "BAD_REQUEST"],
  ["a JSON array", "[]", 400, "BAD_REQUEST"],
  ["no query", "{}", 400, "BAD_REQUEST"],
  ["a query that is a number", '{"query":1}', 400, "BAD_REQUEST"],
  ["no GraphQL", '{"query":"{ me "}', 400, "GRAPHQL_PARSE_FAILED"],
  ["an unknown field", '{"query":"{ nothing }"}', 400, "GRAPHQL_VALIDATION_FAILED"],
  [
    "an unknown operation",
    '{"query":"{ me { id } }","operationName":"X"}',
    400,
    "OPERATION_RESOLUTION_FAILURE",
  ],
])("%s is refused as a whole", async (_name, body, status, code) => {
  layer.calls.length = 0;
  const answer = await post(body);
  expect([answer.status, codeOf(await answer.json())]).toEqual([status, code]);
  expect(layer.calls).toEqual([]);
});

test("a form with several refused values is refused once, with all of them, and nothing is sent", async () => {
  layer.calls.length = 0;
  const form = `mutation ($body: String!) {
    sendMessage(channel: "fax", to: "", body: $body, idempotencyKey: "two words") { id }
  }`;
  const { data, errors } = await layer.ask(form, { body: " " });
  expect([data.sendMessage, errors?.length]).toEqual([null, 1]);
  expect(errors?.[0]).toMatchObject({
    path: ["sendMessage"],
    extensions: { code: "BAD_USER_INPUT", argument: "channel" },
  });
  const refused = errors?.[0]?.extensions.errors?.map(({ argument }) => argument);
  expect(refused).toEqual(["channel", "to", "body", "idempotencyKey"]);
  expect(layer.calls).toEqual([]);
});

test("a mutation before a refused one is sent", async () => {
  const both = `mutation {
    one: sendMessage(channel: "sms", to: "+12025550146", body: "first") { body }
    two: sendMessage(channel: "fax", to: "", body: "second") { body }
  }`;
  const { data, errors } = await layer.ask(both);
  expect(data).toEqual({ one: { body: "first" }, two: null });
  expect(errors?.map(({ path, extensions }) => [path, extensions.argument])).toEqual([[["two"], "channel"]]);
});

describe("a value of the wrong type is refused by its name", () => {
  test.each([
    ["a number for a string", "query ($q: String) { contacts(q: $q) { id } }", { q: 5 }, "$q"],
    [
      "a string for a number",
      "query ($n: Int) { contactsConnection(first: $n) { nodes { id } } }",
      { n: "x" },
      "$n",
    ],
    [
      "an unknown enum value",
      "query ($s: ContactStage) { contactsConnection(stage: $s) { nodes { id } } }",
      { s: "new-lead" },
      "$s",
    ],
    ["a required variable left out", "query ($i: ID!) { contact(id: $i) { id } }", {}, "$i"],
  ])("%s", async (_name, query, variables, named) => {
    const { errors, data } = await layer.ask(query, variables);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.extensions.code).toBe("BAD_USER_INPUT");
    expect(errors?.[0]?.message).toContain(named);
  });
});

describe("a value that REST would refuse names its argument, and is not sent", () => {
  const ids = ["..", ".", "", "a/b", "a?x=1", "a#b", "%2e%2e", "a\u0000b", "../me", "x".repeat(65)];
  const byId = ids.map<Row>((id) => [
    `id ${JSON.stringify(id)}`,
    "query ($id: ID!) { contact(id: $id) { id } }",
    { id },
    "id",
  ]);
  test.each<Row>([
    ...byId,
    [
      "a date that is no date",
      "query ($f: String) { metrics(from: $f) { name } }",
      { f: "2026-02-30" },
      "from",
    ],
    ["no date at all", "query ($f: String) { metrics(to: $f) { name } }", { f: "yesterday" }, "to"],
    ["first: 100000", "{ contactsConnection(first: 100000) { nodes { id } } }", {}, "first"],
    ["first: 0", "{ conversationsConnection(first: 0) { nodes { id } } }", {}, "first"],
    ["a cursor with a slash", '{ contactsConnection(after: "../x") { nodes { id } } }', {}, "after"],
    [
      "an unknown channel to filter by",
      '{ conversationsConnection(channel: "fax") { nodes { id } } }',
      {},
      "channel",
    ],
    [
      "a search text that is too long",
      "query ($q: String) { contacts(q: $q) { id } }",
      { q: "x".repeat(101) },
      "q",
    ],
  ])("%s", async (_name, query, variables, argument) => {
    layer.calls.length = 0;
    const { errors } = await layer.ask(query, variables);
    expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT", argument } }]);
    expect(errors?.[0]?.message).toContain(`"${argument}"`);
    expect(layer.calls).toEqual([]);
  });
});

describe("a message that cannot be sent names its argument, and nothing is stored", () => {
  const good = {
    channel: "whatsapp",
    to: "+12025550143",
    body: "Hello",
    key: undefined as string | undefined,
  };
  const send = `mutation ($channel: String!, $to: String!, $body: String!, $key: String) {
    sendMessage(channel: $channel, to: $to, body: $body, idempotencyKey: $key) { id }
  }`;
  const stored = async (): Promise<unknown> =>
    (
      await layer.ask(
        '{ conversations { id messages(last: 20) { id } } metrics { name total } contacts(q: "2025550143") { id } }',
      )
    ).data;

  test.each([
    ["an unknown channel", { channel: "fax" }, "channel"],
    ["an empty body", { body: "" }, "body"],
    ["a blank body", { body: " \n\t" }, "body"],
    ["a body that is too long", { body: "x".repeat(4_097) }, "body"],
    ["no recipient", { to: "" }, "to"],
    ["a recipient that the channel cannot reach", { to: "not a number" }, "to"],
    ["an e-mail address on a telephone channel", { to: "olivia@harbor.example" }, "to"],
    [
      "an idempotency key with a line break",
      { key: "a\r\nx-service-tenant-id: ten_lumen" },
      "idempotencyKey",
    ],
    ["an empty idempotency key", { key: "" }, "idempotencyKey"],
  ])("%s", async (_name, change, argument) => {
    const before = await stored();
    const { data, errors } = await layer.ask(send, { ...good, ...change });
    expect(data).toEqual({ sendMessage: null });
    expect(errors).toMatchObject([
      { path: ["sendMessage"], extensions: { code: "BAD_USER_INPUT", argument } },
    ]);
    expect(await stored()).toEqual(before);
  });
});

test("whatever a search text holds, it stays a query parameter of its route", async () => {
  for (const q of ["a&limit=1", "a?b=1", "a#b", "../x", "%00", "a;b", "'\" OR 1=1 --"]) {
    layer.calls.length = 0;
    const { errors } = await layer.ask("query ($q: String) { contacts(q: $q) { id } }", { q });
    expect(errors).toBeUndefined();
    expect(layer.calls).toEqual([`GET /v1/crm/contacts?q=${encodeURIComponent(q)}`]);
  }
});

test("a refusal that only REST can make names the argument, not REST's parameter", async () => {
  const { data, errors } = await layer.ask(
    "query ($after: String) { contactsConnection(after: $after) { nodes { id } } }",
    { after: Buffer.from("0:nonsense").toString("base64url") }, // a cursor of ours with one that REST never gave
  );
  expect(data).toEqual({ contactsConnection: null });
  expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT", argument: "after" } }]);
  expect(errors?.[0]?.message).toBe("after: cursor: is not the nextCursor of a page");
});

describe("a refused value says why, in the words of the contract", () => {
  const send = (change: object): [query: string, variables: Record<string, unknown>] => [
    "mutation ($channel: String!, $to: String!, $body: String!) { sendMessage(channel: $channel, to: $to, body: $body) { id } }",
    { channel: "whatsapp", to: "+12025550143", body: "Hello", ...change },
  ];
  test.each<[name: string, asked: [query: string, variables?: Record<string, unknown>], message: RegExp]>([
    [
      "a reversed range of dates",
      ['{ metrics(from: "2026-02-01", to: "2026-01-01") { name } }'],
      /^from: must not be after to$/,
    ],
    [
      "a range that is too long",
      ['{ metrics(from: "2020-01-01", to: "2026-01-01") { name } }'],
      /^from: the range may span 366 days$/,
    ],
    [
      "no date",
      ['{ metrics(from: "yesterday") { name } }'],
      /^argument "from" must be a date such as 2026-01-31$/,
    ],
    [
      "no cursor of ours",
      ['{ contactsConnection(after: "page 2") { nodes { id } } }'],
      /^argument "after" must be a cursor that this field returned: /,
    ],
    [
      "no telephone number",
      send({ to: "olivia" }),
      /^to: must be a number such as \+12025550143 for whatsapp$/,
    ],
    [
      "an unknown channel",
      send({ channel: "fax" }),
      /^argument "channel" must be one of whatsapp, sms, email, webchat$/,
    ],
    [
      "a blank text",
      send({ body: " " }),
      /^argument "body" does not have the form that it needs: Text of at most 4096 characters, not only white space/,
    ],
    [
      "a page that is too long",
      ["{ agentsConnection(first: 101) { nodes { id } } }"],
      /^argument "first" must be at most 100$/,
    ],
    [
      "a page of nothing",
      ["{ agentsConnection(first: 0) { nodes { id } } }"],
      /^argument "first" must be at least 1$/,
    ],
    ["an empty id", ['{ agent(id: "") { id } }'], /^argument "id" must not be empty$/],
    [
      "a search text that is too long",
      [`{ contacts(q: "${"x".repeat(101)}") { id } }`],
      /^argument "q" must be at most 100 characters long$/,
    ],
  ])("%s", async (_name, asked, message) => {
    const { errors } = await layer.ask(...asked);
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.message).toMatch(message);
  });
});

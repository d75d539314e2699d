/** What the gateway forwards without a key: a question for the schema, in few headers, and nothing else. */
import fc from "fast-check";
import { buildSchema, execute, getIntrospectionQuery, Kind, parse } from "graphql";
import { describe, expect, test, vi } from "vitest";
import { isIntrospectionOnly } from "../../../src/engine/gateway/keyless.ts";
import { keylessRequests } from "../../../src/engine/runtime/settings/capacity.ts";
import { seed } from "../../support/seed.ts";
import { goodKey } from "./fakes.ts";
import { graphqlError } from "./read-error.ts";
import { type Started, startGateway } from "./start.ts";

const question = "{ __schema { queryType { name } } }";
const json = { "content-type": "application/json" };
const post = ({ url }: Started, body: unknown, headers: Record<string, string> = json): Promise<Response> =>
  fetch(new URL("/v1/graphql", url), {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const get = ({ url }: Started, search: string): Promise<Response> =>
  fetch(new URL(`/v1/graphql?${search}`, url));

async function expectRefused({ graphql, rest }: Started, answer: Response): Promise<void> {
  expect([answer.status, await graphqlError(answer)]).toMatchObject([401, { code: "UNAUTHENTICATED" }]);
  expect(answer.headers.get("www-authenticate")).toMatch(/Bearer/);
  expect([graphql.seen, rest.seen]).toEqual([[], []]);
}

describe("a question for the schema", () => {
  test("travels on without credential, cookie, context, proof or any other header of its sender", async () => {
    const started = await startGateway();
    const answer = await post(
      started,
      { query: question },
      {
        ...json,
        accept: "application/json",
        cookie: "session=1",
        "x-other-key": "secret",
        "x-service-tenant-id": "spoofed",
        "x-gateway-proof": "spoofed",
        "x-explain-calls": "1",
        "proxy-authorization": "Basic Og==",
      },
    );
    expect(answer.status).toBe(200);
    const [{ headers = {}, body = "" } = {}] = started.graphql.seen;
    expect(Object.keys(headers).sort()).toEqual([
      "accept",
      "accept-encoding",
      "accept-language",
      "connection",
      "content-length",
      "content-type",
      "host",
      "traceparent",
      "x-forwarded-for",
      "x-request-id",
    ]);
    expect(JSON.parse(body)).toEqual({ query: question });
    expect(started.keys.asked).toEqual([]);
  });

  test("is written anew: text that a second reader could take for a query stays behind", async () => {
    const started = await startGateway();
    await post(
      started,
      `{"query":"{ me { id } }","documentId":"1","extensions":{},"query":${JSON.stringify(question)}}`,
    );
    await get(started, `query=${encodeURIComponent(question)}&query={me{id}}&documentId=1&operationName=`);
    expect(started.graphql.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["POST", "/v1/graphql", JSON.stringify({ query: question })],
      ["GET", `/v1/graphql?${new URLSearchParams({ query: question, operationName: "" })}`, ""],
    ]);
  });

  test.each([
    ["graphql-js's query", getIntrospectionQuery()],
    ["a type by name", "query ($name: String!) { __type(name: $name) { name } }"],
    ["the root's name", "{ __typename }"],
    ["several at once", "query A { __schema { description } } query B { a: __typename @skip(if: true) }"],
  ])("may be %s", async (_name, query) => {
    const started = await startGateway();
    expect((await post(started, { query, operationName: "A", variables: { name: "A" } })).status).toBe(200);
    expect(started.graphql.seen).toHaveLength(1);
  });
});

test("a question mark in a query is a part of it", async () => {
  const started = await startGateway();
  const query = '{__type(name:"a?b"){name}}';
  expect((await get(started, `query=${query}`)).status).toBe(200);
  expect(started.graphql.seen[0]?.url).toBe(`/v1/graphql?${new URLSearchParams({ query })}`);
});

describe("needs a key", () => {
  const bodies: [string, unknown][] = [
    ["a field of the schema", { query: "{ me { id } }" }],
    ["a field beside introspection", { query: "{ __schema { description } me { id } }" }],
    ["a field named like introspection by its alias", { query: "{ __schema: me { id } }" }],
    ["a field that is skipped", { query: "{ __typename me @skip(if: true) { id } }" }],
    ["a fragment at the root", { query: "{ ...F } fragment F on Query { me { id } }" }],
    ["an inline fragment", { query: "{ ... on Query { me { id } } }" }],
    [
      "another operation than the one to run",
      { query: `query A ${question} query B { me { id } }`, operationName: "A" },
    ],
    ["a mutation", { query: "mutation { __typename }" }],
    ["a subscription", { query: "subscription { __typename }" }],
    ["types", { query: `${question} type A { a: Int }` }],
    ["a fragment without an operation", { query: "fragment F on Query { __typename }" }],
    ["a batch", [{ query: question }, { query: question }]],
    ["a batch of one", [{ query: question }]],
    [
      "a saved operation",
      { documentId: "sha256:1", extensions: { persistedQuery: { version: 1, sha256Hash: "1" } } },
    ],
    ["no query", {}],
    ["null", null],
    ["a query that is no text", { query: [question] }],
    ["no GraphQL", { query: "{" }],
    ["no JSON", `{"query": "${question}"`],
    ["a query nested too deeply for the parser", { query: "{__a".repeat(3_000) }],
    [
      "variables nested too deeply",
      `{"query":"${question}","variables":${"[".repeat(7_000)}${"]".repeat(7_000)}}`,
    ],
    ["more tokens than MAX_TOKENS", { query: `{${"__a ".repeat(101)}}` }],
    ["a long body", { query: question, variables: { a: "a".repeat(keylessRequests.bytes) } }],
  ];
  test.each(bodies)("%s", async (_name, body) => {
    const started = await startGateway({ env: { MAX_TOKENS: "100" } });
    await expectRefused(started, await post(started, body));
  });

  test("a long body without Content-Length", async () => {
    const started = await startGateway();
    const body = new Blob([
      JSON.stringify({ query: question, variables: { a: "a".repeat(20_000) } }),
    ]).stream();
    const init = { method: "POST", headers: json, body, duplex: "half" } as RequestInit;
    await expectRefused(started, await fetch(new URL("/v1/graphql", started.url), init));
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a"])(
    "a body of %s",
    async (type) => {
      const started = await startGateway();
      await expectRefused(started, await post(started, { query: question }, { "content-type": type }));
    },
  );

  test.each(["PUT", "PATCH", "DELETE"])("a question by %s", async (method) => {
    const started = await startGateway();
    const init = { method, headers: json, body: JSON.stringify({ query: question }) };
    await expectRefused(started, await fetch(new URL("/v1/graphql", started.url), init));
  });

  test("a question by GET for anything else", async () => {
    const started = await startGateway();
    for (const search of ["", "documentId=1", "query={me{id}}", "query={me{id}}&query={__typename}"])
      await expectRefused(started, await get(started, search));
  });

  test.each(["", "Bearer", "Basic Og=="])("a question with the Authorization %j", async (authorization) => {
    const started = await startGateway();
    await expectRefused(started, await post(started, { query: question }, { ...json, authorization }));
  });

  test("a question in production, and one on a REST path", async () => {
    const production = await startGateway({ env: { NODE_ENV: "production" } });
    await expectRefused(production, await post(production, { query: question }));
    await expectRefused(production, await get(production, `query=${encodeURIComponent(question)}`));
    const { url, rest } = await startGateway();
    const init = { method: "POST", headers: json, body: JSON.stringify({ query: question }) };
    expect((await fetch(new URL("/v1/graphql/x", url), init)).status).toBe(401);
    expect(rest.seen).toEqual([]);
  });
});

test("an address beyond its rate gets Retry-After; with a key it is served", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const started = await startGateway();
    const statuses = [];
    for (let index = 0; index <= keylessRequests.perMinute; index++)
      statuses.push((await post(started, { query: question })).status);
    expect(statuses.lastIndexOf(200)).toBe(keylessRequests.perMinute - 1);
    const refused = await post(started, { query: question });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await graphqlError(refused)).toMatchObject({ code: "RATE_LIMITED", retryAfter: 60 });
    const keyed = await post(started, { query: question }, { ...json, "x-api-key": goodKey });
    expect(keyed.status).toBe(200);
    vi.advanceTimersByTime(60_000);
    expect((await post(started, { query: question })).status).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

test("no resolver runs for a question that is let through", () => {
  const called: string[] = [];
  const schema = buildSchema(
    "type Query { a: Query, _b: Query } type Mutation { a: Query } type Subscription { a: Query }",
  );
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(type?.getFields() ?? {}))
      field.resolve = () => {
        called.push(field.name);
        return {};
      };
  const { selections } = fc.letrec<{ selections: string; selection: string }>((tie) => ({
    selections: fc
      .array(tie("selection"), { minLength: 1, maxLength: 3 })
      .map((all) => `{ ${all.join(" ")} }`),
    selection: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("__typename", "__x: __typename", "__schema { description }", "...F", "...G"),
      fc
        .tuple(
          fc.constantFrom(
            "a",
            "_b",
            "__schema: a",
            "__schema",
            '__type(name: "Query")',
            "...",
            "... on Query",
          ),
          tie("selections"),
        )
        .map((parts) => parts.join(" ")),
    ),
  }));
  const operation = fc
    .tuple(fc.constantFrom("", "query A", "query B", "mutation C"), selections)
    .map((parts) => parts.join(" "));
  const fragment = fc
    .tuple(
      fc.constantFrom("fragment F on Query", "fragment G on Query", "fragment G on __Schema"),
      selections.map((text) => text.replaceAll(/\.\.\.[FG]/g, "a")), // no circles
    )
    .map((parts) => parts.join(" "));
  const document = fc.tuple(
    fc.array(operation, { minLength: 1, maxLength: 2 }),
    fc.array(fragment, { maxLength: 2 }),
  );
  let through = 0;
  let ran = 0;
  fc.assert(
    fc.property(document, ([operations, fragments]) => {
      const text = [...operations, ...fragments].join("\n");
      called.length = 0;
      const parsed = parse(text);
      // without validation, as if nobody behind looked at the document again
      for (const definition of parsed.definitions)
        if (definition.kind === Kind.OPERATION_DEFINITION)
          execute({ schema, document: parsed, operationName: definition.name?.value, rootValue: {} });
      if (called.length > 0) ran++;
      if (!isIntrospectionOnly(text, 5_000)) return;
      through++;
      expect(called).toEqual([]);
    }),
    { numRuns: 2_000, seed },
  );
  expect([through > 50, ran > 50]).toEqual([true, true]);
});

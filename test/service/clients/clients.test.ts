/**
 * Stock clients against all roles through the gateway: Apollo Client, urql and graphql-request, unmodified, with their
 * defaults. One table of cases, one adapter a client.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatApiKey } from "../../../src/engine/runtime/http/api-key.ts";
import { read, tableOf } from "../../repository/docs/page.ts";
import { keys, type Layer, startLayer } from "../e2e/layer.ts";
import { type Adapter, adapters, apollo, type Reply } from "./adapters.ts";

/** Takes every call of its product and never answers; tells of each call, and of each that is given up. */
const silent = createServer((request, response) => {
  silent.emit("call", request.url);
  response.once("close", () => silent.emit("left", request.url));
});
const next = (event: "call" | "left"): Promise<string> =>
  new Promise((resolve) => silent.once(event, (path: string) => resolve(path)));

let layer: Layer;
/** As the first, but the CRM cannot be reached and insights never answer. */
let broken: Layer;

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  layer = await startLayer();
  broken = await startLayer([], {
    REST_BASE_URL_CRM: "http://127.0.0.1:1",
    REST_BASE_URL_INSIGHTS: `http://127.0.0.1:${port}`,
  });
});
afterAll(async () => {
  await layer.close();
  await broken.close();
  silent.closeAllConnections();
  silent.close();
});

/** Well formed, and nobody's. */
const wrongKey = formatApiKey("test", "wrong".padEnd(26, "0"));
const graphqlUrl = ({ url }: Layer): string => new URL("/v1/graphql", url).href;

type Case = {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly isMutation?: boolean;
  readonly key?: string;
  readonly broken?: boolean;
  readonly expected: (reply: Reply) => void;
};

const cases: Record<string, Case> = {
  "a query": {
    query: "query Me { me { email } }",
    expected: ({ data, errors }) => {
      expect(errors).toBeUndefined();
      expect(data.me).toMatchObject({ email: "olivia@harbor.example" });
    },
  },
  "a query without a name": {
    query: "{ me { email } }",
    expected: ({ data }) => expect(data.me).toMatchObject({ email: "olivia@harbor.example" }),
  },
  variables: {
    query: "query Find($q: String!) { contacts(q: $q) { name } }",
    variables: { q: "hannah m" },
    expected: ({ data }) =>
      expect(data.contacts.map(({ name }: { name: string }) => name)).toEqual([
        "Hannah Mensah",
        "Hannah Moreau",
      ]),
  },
  "a union": {
    query: `query Authors {
      conversations {
        messages(last: 5) {
          author {
            __typename
            ... on ContactAuthor { contactId contact { id name } }
            ... on AgentAuthor { agentId agent { id name } }
            ... on UserAuthor { userId }
          }
        }
      }
    }`,
    expected: ({ data }) => {
      type Author = Record<string, { id: string } & string>;
      const authors: Author[] = data.conversations.flatMap(
        ({ messages }: { messages: { author: Author }[] }) => messages.map(({ author }) => author),
      );
      const ofType = (type: string) => authors.filter(({ __typename }) => __typename === type);
      expect(ofType("ContactAuthor").length).toBeGreaterThan(0);
      expect(ofType("AgentAuthor").length).toBeGreaterThan(0);
      for (const { contactId, contact } of ofType("ContactAuthor")) expect(contact?.id).toBe(contactId);
      for (const { agentId, agent } of ofType("AgentAuthor")) expect(agent?.id).toBe(agentId);
    },
  },
  "a mutation": {
    query: `mutation Send($key: String!) {
      sendMessage(channel: "sms", to: "+12025550143", body: "Hello", idempotencyKey: $key) { body status }
    }`,
    variables: { key: "stock-clients-1" },
    isMutation: true,
    expected: ({ data, errors }) => {
      expect(errors).toBeUndefined();
      expect(data.sendMessage).toMatchObject({ body: "Hello" });
    },
  },
  "another message under a key that was used": {
    query: `mutation Twice {
      first: sendMessage(channel: "sms", to: "+12025550143", body: "One", idempotencyKey: "stock-clients-2") { id }
      other: sendMessage(channel: "sms", to: "+12025550143", body: "Two", idempotencyKey: "stock-clients-2") { id }
    }`,
    isMutation: true,
    expected: ({ data, errors }) => {
      expect(data.other).toBeNull();
      expect(errors).toMatchObject([
        { path: ["other"], extensions: { code: "CONFLICT", argument: "idempotencyKey" } },
      ]);
    },
  },
  "a partial error: one product is down": {
    query: "query Partial { me { email } contacts { id } }",
    broken: true,
    expected: ({ data, errors }) => {
      expect(data).toMatchObject({ me: { email: "olivia@harbor.example" }, contacts: null });
      expect(errors).toMatchObject([{ path: ["contacts"], extensions: { code: "UPSTREAM_UNAVAILABLE" } }]);
    },
  },
  "one failed call for the links of many parents is one error": {
    query: "query Links { conversations { id contact { name } } }",
    broken: true,
    expected: ({ data, errors }) => {
      expect(data.conversations).toHaveLength(50);
      for (const { contact } of data.conversations) expect(contact).toBeNull();
      expect(errors).toMatchObject([
        { path: ["conversations", 0, "contact"], extensions: { code: "UPSTREAM_UNAVAILABLE", places: 50 } },
      ]);
    },
  },
  "a wrong key": {
    query: "query Me { me { email } }",
    key: wrongKey,
    expected: ({ data, errors }) => {
      expect(data ?? undefined).toBeUndefined();
      expect(errors).toMatchObject([{ extensions: { code: "UNAUTHENTICATED" } }]);
    },
  },
  "a missing permission": {
    query: "query Contacts { me { email } contacts { id } }",
    key: keys.analyst,
    expected: ({ data, errors }) => {
      expect(data.me.email).toBe("noah@harbor.example");
      expect(errors).toMatchObject([{ path: ["contacts"], extensions: { code: "FORBIDDEN" } }]);
    },
  },
  "a refused value": {
    query: "query Pages($first: Int) { me { email } contactsConnection(first: $first) { nodes { id } } }",
    variables: { first: 1000 },
    expected: ({ errors }) =>
      expect(errors).toMatchObject([{ extensions: { code: "BAD_USER_INPUT", argument: "first" } }]),
  },
  "a document of another schema version": {
    query: "query Gone { me { nickname } }",
    expected: ({ errors }) =>
      expect(errors).toMatchObject([{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }]),
  },
  "a document that is too deep": {
    query: `query Deep { conversations ${"{ messages { conversation ".repeat(10)}{ id }${" } }".repeat(10)} }`,
    expected: ({ errors }) =>
      expect(errors).toMatchObject([{ extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_DEPTH" } }]),
  },
};

describe("docs/guides/front-end.md's table of codes", () => {
  const rows = tableOf(read("docs/guides/front-end.md"), "code | data | is | a page then");
  const seen = new Map<string, Reply>();
  beforeAll(async () => {
    for (const { key = keys.owner, ...asked } of Object.values(cases)) {
      const reply = await apollo.open(graphqlUrl(asked.broken ? broken : layer), key)(asked);
      for (const { extensions } of reply.errors ?? []) seen.set(String(extensions?.code), reply);
    }
  });

  test("has the codes of the cases", () => {
    expect(rows.map(([code = ""]) => code.replaceAll("`", "")).sort()).toEqual([...seen.keys()].sort());
  });

  test.each(rows)("%s with data: %s", (code, beside) => {
    const { data } = seen.get(code.replaceAll("`", "")) ?? {};
    expect(data ? "yes" : "no").toBe(beside);
  });
});

describe.each(adapters)("$name", ({ open, aborted }: Adapter) => {
  test.each(Object.entries(cases))("%s", async (_name, { key = keys.owner, expected, ...asked }) => {
    expected(await open(graphqlUrl(asked.broken ? broken : layer), key)(asked));
  });

  test("page after page", async () => {
    const ask = open(graphqlUrl(layer), keys.owner);
    const query = `query Page($after: String) {
      contactsConnection(first: 40, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
    }`;
    const found: string[] = [];
    let after = null;
    let hasNextPage = true;
    while (hasNextPage) {
      const { data } = await ask({ query, variables: { after } });
      found.push(...data.contactsConnection.nodes.map(({ id }: { id: string }) => id));
      ({ hasNextPage, endCursor: after } = data.contactsConnection.pageInfo);
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found.length).toBeGreaterThanOrEqual(300);
  });

  test("an aborted request ends with the client's own error, and its REST calls are given up", async () => {
    const leaving = new AbortController();
    const called = next("call");
    const left = next("left");
    const reply = open(
      graphqlUrl(broken),
      keys.owner,
    )({
      query: "query Slow { metrics { name } }",
      signal: leaving.signal,
    });
    const name = reply.then(
      () => "an answer",
      (error: Error) => error.name,
    );
    expect(await called).toMatch(/^\/v1\/insights\/metrics/);
    leaving.abort();
    expect(await name).toBe(aborted);
    expect(await left).toMatch(/^\/v1\/insights\/metrics/);
  });
});

/** `@defer` over HTTP: formats, errors, limits and the client's leaving; Apollo Client and urql read the parts unmodified. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { Defer20220824Handler, GraphQL17Alpha9Handler } from "@apollo/client/incremental";
import { Client, cacheExchange, fetchExchange } from "@urql/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { subscribe } from "../../../../src/engine/runtime/observe/observer.ts";
import type { RequestRecord } from "../../../../src/engine/runtime/observe/request-record.ts";
import { mostDeferredParts } from "../../../../src/engine/runtime/settings/capacity.ts";
import { goodKey } from "../../gateway/fakes.ts";
import { secret, startGateway } from "../../gateway/start.ts";
import { type GraphqlResponse, type Handler, inFrontOf, me, send } from "./rest-stand-in.ts";

const v02 = "multipart/mixed;incrementalSpec=v0.2,application/json";
const of2022 = "multipart/mixed;deferSpec=20220824,application/json";
const agent = (id: string) => ({
  id,
  name: `Agent ${id}`,
  kind: "ai",
  availability: "online",
  skills: [],
  createdAt: "2026-11-21T00:00:00Z",
});
const query = '{ me { id } ... @defer(label: "agents") { agents { id } me { email } } }';
const whole = { me: { id: "1", email: "a@b.example" }, agents: [{ id: "7" }] };

/** REST whose agents wait for `open`, or fail. */
function slowAgents(status = 200) {
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const calls: string[] = [];
  let left = 0;
  const handler: Handler = ({ url = "" }, response) => {
    calls.push(url);
    if (!url.includes("/agents")) return send(response, me);
    response.once("close", () => (left += response.writableFinished ? 0 : 1));
    void promise.then(() => send(response, { items: [agent("7")], hasMore: false }, status));
  };
  return { handler, open, calls, left: () => left };
}

type Part = GraphqlResponse & Record<string, unknown>;

/** The parts of a response as they arrive. */
async function* partsOf(response: Response): AsyncGenerator<Part> {
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf("\r\n---", 3); end >= 0; end = text.indexOf("\r\n---", 3)) {
      yield JSON.parse(text.slice(text.indexOf("\r\n\r\n"), end));
      text = text.slice(end);
    }
  }
  expect(text).toBe("\r\n-----\r\n");
}

const entriesOf = (part: Part | undefined): readonly Part[] => (part?.incremental ?? []) as Part[];

async function allOf(parts: AsyncIterable<Part>): Promise<[Part, ...Part[]]> {
  const all: Part[] = [];
  for await (const part of parts) all.push(part);
  return all as [Part, ...Part[]];
}

/** The results that Apollo Client gives to a page. */
function watchWithApollo(
  url: URL,
  text: string,
  incrementalHandler: Defer20220824Handler | GraphQL17Alpha9Handler,
) {
  const client = new ApolloClient({
    link: new HttpLink({ uri: url.href, headers: { "x-api-key": "key" } }),
    cache: new InMemoryCache(),
    incrementalHandler,
  });
  const seen: unknown[] = [];
  const watched = client.watchQuery({ query: gql(text), errorPolicy: "all" });
  const subscription = watched.subscribe(({ data, dataState }) => seen.push([dataState, data]));
  const end = (): void => {
    subscription.unsubscribe();
    client.stop();
  };
  return { seen, end };
}

const asking = (accept: string, more: object = {}): RequestInit => ({
  headers: { "content-type": "application/json", "x-api-key": "key", accept, ...more },
});

describe("a deferred fragment comes in a later part", () => {
  test.each([
    [
      v02,
      'multipart/mixed; boundary="-"; incrementalSpec=v0.2',
      { data: { me: { id: "1" } }, hasNext: true, pending: [{ id: "0", path: [], label: "agents" }] },
      {
        incremental: [
          { data: { agents: [{ id: "7" }] }, id: "0" },
          { data: { email: "a@b.example" }, id: "0", subPath: ["me"] },
        ],
        completed: [{ id: "0" }],
        hasNext: false,
      },
    ],
    [
      of2022,
      'multipart/mixed; boundary="-"; deferSpec=20220824',
      { data: { me: { id: "1" } }, hasNext: true },
      {
        incremental: [
          { data: { agents: [{ id: "7" }], me: { email: "a@b.example" } }, path: [], label: "agents" },
        ],
        hasNext: false,
      },
    ],
  ])("as %s", async (accept, type, first, last) => {
    const { handler, open, calls } = slowAgents();
    const { post, server } = await inFrontOf(handler);
    const response = await post(query, asking(accept, { "accept-encoding": "gzip, br" }));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(type);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    const parts = partsOf(response);
    expect((await parts.next()).value).toEqual(first);
    expect(server.quotas.executing?.used).toBe(0);
    open();
    const { value } = await parts.next();
    expect(value).toEqual(last);
    expect((await parts.next()).done).toBe(true);
    expect(calls.filter((url) => url.includes("/me"))).toHaveLength(1);
    await expect.poll(() => server.quotas.requests_in_flight?.used).toBe(0);
  });

  test.each([v02, of2022])(
    "with the REST calls in the last part, to a client that asks for them: %s",
    async (accept) => {
      const { handler, open } = slowAgents();
      const { post } = await inFrontOf(handler);
      open();
      const text = '{ me { id } ... @defer(label: "agents") { agents { id } } ... @defer { me { email } } }';
      const parts = await allOf(partsOf(await post(text, asking(accept, { "x-explain-calls": "1" }))));
      const calls = parts.flatMap(({ extensions }) => (extensions as { calls?: Part[] })?.calls ?? []);
      expect(parts.slice(0, -1).some(({ extensions }) => extensions)).toBe(false);
      expect(calls.filter(({ operation }) => operation === "listAgents").map(({ part }) => part)).toEqual([
        "agents",
      ]);
      expect(calls.filter(({ part }) => part === undefined).map(({ operation }) => operation)).toEqual([
        "getMe",
      ]);
    },
  );

  test.each(["application/json", "*/*", "multipart/*, application/json"])(
    "but in the whole response to a client that accepts %j",
    async (accept) => {
      const { handler, open } = slowAgents();
      const { post } = await inFrontOf(handler);
      open();
      const response = await post(query, asking(accept));
      expect(response.headers.get("content-type")).toMatch("application/json");
      expect(await response.json()).toEqual({ data: whole });
    },
  );

  test("unless @defer(if: false) says otherwise, for each value of the variable", async () => {
    const { handler, open } = slowAgents();
    const { post } = await inFrontOf(handler);
    open();
    const text = "query ($on: Boolean!) { me { id } ... @defer(if: $on) { agents { id } } }";
    const typeOf = async (on: boolean) => {
      const body = JSON.stringify({ query: text, variables: { on } });
      const response = await post("", { ...asking(v02), body });
      await response.text();
      return response.headers.get("content-type");
    };
    expect(await typeOf(false)).toMatch("application/json");
    expect(await typeOf(true)).toMatch("multipart/mixed");
    expect(await typeOf(false)).toMatch("application/json");
  });

  test("a client that accepts nothing but parts gets JSON if nothing is deferred", async () => {
    const { post } = await inFrontOf((_request, response) => send(response, me));
    const response = await post("{ me { id } }", asking("multipart/mixed"));
    expect(response.headers.get("content-type")).toMatch("application/json");
    expect(await response.json()).toEqual({ data: { me: { id: "1" } } });
  });
});

test("a gateway passes each part on as it comes, also to a client that accepts compression", async () => {
  const { handler, open } = slowAgents();
  const { url: graphql } = await inFrontOf(handler, { GATEWAY_SECRET: secret });
  const { url } = await startGateway({ graphql });
  const headers = { "x-api-key": goodKey, "accept-encoding": "gzip, br" };
  const body = JSON.stringify({ query });
  const response = await fetch(new URL("/v1/graphql", url), {
    method: "POST",
    ...asking(v02, headers),
    body,
  });
  const parts = partsOf(response);
  expect((await parts.next()).value).toMatchObject({ data: { me: { id: "1" } }, hasNext: true });
  open();
  expect(await allOf(parts)).toMatchObject([{ completed: [{ id: "0" }], hasNext: false }]);
});

test("the first part takes at most 1.2 times as long as the query without its deferred fields", async () => {
  const { post } = await inFrontOf(({ url = "" }, response) => {
    const isLate = url.includes("/agents");
    setTimeout(() => send(response, isLate ? { items: [] } : me), isLate ? 3_000 : 20);
  });
  const timed = async (text: string): Promise<number> => {
    const leaving = new AbortController();
    const began = performance.now();
    const { body } = await post(text, { ...asking(v02), signal: leaving.signal });
    await body?.getReader().read();
    const ms = performance.now() - began;
    leaving.abort();
    return ms;
  };
  const plain: number[] = [];
  const deferred: number[] = [];
  for (let round = 0; round < 30; round++) {
    plain.push(await timed("{ me { id } }"));
    deferred.push(await timed(query.replace("me { email }", "")));
  }
  const ratio = median(deferred) / median(plain);
  console.log(`first part: ${ratio.toFixed(2)} times the query without the deferred fields`);
  expect(ratio).toBeLessThan(1.2);
});

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

test("identical operations do not wait for one another", async () => {
  const { handler } = slowAgents();
  const { post } = await inFrontOf(handler);
  await (await post("{ me { id } }", asking(v02))).text();
  const responses = Array.from({ length: 5 }, () => post(query, asking(v02)));
  for (const response of await Promise.all(responses))
    expect((await partsOf(response).next()).value?.data).toEqual({ me: { id: "1" } });
});

describe("failures", () => {
  test("an error is in the part of its field, with the request's id", async () => {
    const { handler, open } = slowAgents(500);
    const { post } = await inFrontOf(handler);
    open();
    const response = await post(query, asking(v02));
    const [first, last] = await allOf(partsOf(response));
    expect(first?.errors).toBeUndefined();
    const [entry] = entriesOf(last).filter(({ errors }) => errors);
    expect(entry).toMatchObject({ data: { agents: null } });
    expect(entry?.errors).toMatchObject([{ path: ["agents"], extensions: { code: "UPSTREAM_ERROR" } }]);
    expect(entry?.errors?.[0]?.extensions.requestId).toMatch(/^[\w-]{36}$/);
  });

  test("a deferred call ends at its deadline", async () => {
    const { handler } = slowAgents();
    const { post } = await inFrontOf(handler, { CALL_TIMEOUT_MS: "300", REQUEST_TIMEOUT_MS: "500" });
    const [, last] = await allOf(partsOf(await post(query, asking(of2022))));
    const [entry] = entriesOf(last);
    expect(entry?.errors).toMatchObject([{ path: ["agents"], extensions: { code: "UPSTREAM_TIMEOUT" } }]);
  });

  test("a client that leaves ends the deferred calls", async () => {
    const { handler, calls, left } = slowAgents();
    const { post, server } = await inFrontOf(handler);
    const leaving = new AbortController();
    const response = await post(query, { ...asking(v02), signal: leaving.signal });
    await partsOf(response).next();
    await expect.poll(() => calls.length).toBe(2);
    leaving.abort();
    await expect.poll(left).toBe(1);
    await expect.poll(() => server.quotas.requests_in_flight?.used).toBe(0);
  });

  test("a response has a bounded number of parts", async () => {
    const agents = Array.from({ length: mostDeferredParts + 1 }, (_, index) => agent(`${index}`));
    const { post } = await inFrontOf((_request, response) =>
      send(response, { items: agents, hasMore: false }),
    );
    const ask = async (text: string) => (await post(text, asking(v02))).json() as Promise<GraphqlResponse>;
    const { data, errors } = await ask("{ agents { id ... @defer { name } } }");
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([
      { message: "a response may have at most 1000 deferred parts", extensions: { code: "LIMIT_EXCEEDED" } },
    ]);
  });

  test("the request's record has the calls, the first error and the bytes of all parts", async () => {
    const records: RequestRecord[] = [];
    onTestFinished(subscribe({ requestEnded: (record) => void records.push(record) }));
    const { handler, open, calls } = slowAgents(403);
    const { post } = await inFrontOf(handler);
    const response = await post(query, asking(v02));
    const parts = partsOf(response);
    await parts.next();
    expect(records).toEqual([]);
    open();
    const rest = await allOf(parts);
    await expect.poll(() => records).toHaveLength(1);
    const [record] = records;
    expect(record).toMatchObject({ calls: 2, code: "FORBIDDEN", failedPath: "agents", status: 200 });
    expect(calls).toHaveLength(2);
    expect(record?.bytes).toBeGreaterThan(JSON.stringify(rest).length);
  });

  describe("MAX_ANSWER_BYTES bounds the bytes of all parts", () => {
    const agents = Array.from({ length: 100 }, (_, index) => agent(`${index}`));
    const fields = Array.from({ length: 10 }, (_, index) => `a${index}: availability`).join(" ");
    const text = `{ me { id } ... @defer { agents { ${fields} } } }`;
    const partsWith = async (accept: string, limit?: number) => {
      const environment = limit === undefined ? {} : { MAX_ANSWER_BYTES: `${limit}` };
      const { post } = await inFrontOf(
        ({ url = "" }, response) =>
          send(response, url.includes("/agents") ? { items: agents, hasMore: false } : me),
        environment,
      );
      return allOf(partsOf(await post(text, asking(accept))));
    };
    test.each([v02, of2022])("exactly: %s", async (accept) => {
      const sent = await partsWith(accept);
      const bytes = sent.reduce((sum, part) => sum + Buffer.byteLength(JSON.stringify(part)), 0);
      expect(await partsWith(accept, bytes)).toEqual(sent);
      const [first, last, ...others] = await partsWith(accept, bytes - 1);
      expect([first, others]).toEqual([sent[0], []]);
      expect(last?.hasNext).toBe(false);
      const errors = [{ extensions: { code: "LIMIT_EXCEEDED", limit: "MAX_ANSWER_BYTES" } }];
      if (accept === v02) expect(last).toMatchObject({ completed: [{ id: "0", errors }] });
      else expect(last).toMatchObject({ incremental: [{ data: null, path: [], errors }] });
      expect(last?.incremental === undefined).toBe(accept === v02);
    });
  });

  test("the bytes of large parts count until the client has read them", async () => {
    const name = "n".repeat(2_000_000);
    const handler: Handler = ({ url = "" }, response) =>
      send(response, url.includes("/agents") ? { items: [{ ...agent("7"), name }], hasMore: false } : me);
    const { post, server } = await inFrontOf(handler, { MAX_ANSWER_BYTES: "40000000" });
    const leaving = new AbortController();
    // more than the buffers of the system
    const names = Array.from({ length: 15 }, (_, index) => `a${index}: name`).join(" ");
    const text = `{ me { id } ... @defer { agents { ${names} } } }`;
    const { body } = await post(text, { ...asking(v02), signal: leaving.signal });
    await body?.getReader().read();
    const held = () => server.quotas.unread_responses?.used ?? 0;
    await expect.poll(held).toBeGreaterThan(30_000_000);
    leaving.abort();
    await expect.poll(held).toBe(0);
  });

  test.each([
    [
      '{ ... @defer(label: "a") { me { id } } ... @defer(label: "a") { agents { id } } }',
      'Argument "@defer(label:)" must be unique in the document.',
    ],
    [
      "query ($a: String) { ... @defer(label: $a) { me { id } } }",
      'Argument "@defer(label:)" must be a static string.',
    ],
    [
      'mutation { ... @defer { sendMessage(channel: "sms", to: "+12025550143", body: "b") { id } } }',
      'Defer directive cannot be used on root mutation type "Mutation".',
    ],
    [
      'mutation { ...F } fragment F on Mutation { ... @defer { sendMessage(channel: "sms", to: "+1", body: "b") { id } } }',
      'Defer directive cannot be used on root mutation type "Mutation".',
    ],
  ])("validation refuses %s", async (text, message) => {
    const { ask } = await inFrontOf((_request, response) => send(response, me));
    const { data, errors } = await ask(text);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.message).toBe(message);
  });
});

describe("clients", () => {
  test("Apollo Client gives labels to the fragments of saved operations", async () => {
    const text =
      'query Page { me { id } ... @defer { agents { id } } ... @defer(label: "own") { me { email } } }';
    const folder = mkdtempSync(join(tmpdir(), "defer-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "web.json"), JSON.stringify({ page: text }));
    const { handler, open } = slowAgents();
    const { url, post } = await inFrontOf(handler, { OPERATIONS: "saved", OPERATIONS_FROM: folder });
    const { seen, end } = watchWithApollo(url, text, new GraphQL17Alpha9Handler());
    await expect.poll(() => seen.at(-1)).toMatchObject(["streaming", { me: { id: "1" } }]);
    open();
    await expect.poll(() => seen.at(-1)).toMatchObject(["complete", whole]);
    end();
    const labelled = text.replace("@defer {", '@defer(label: "ac_0") {');
    const [first] = await allOf(partsOf(await post(labelled, asking(v02))));
    expect(first.pending).toMatchObject([{ label: "ac_0" }, { label: "own" }]);
    const other = await post(text.replace("@defer {", '@defer(label: "ac_7") {'), asking(v02));
    expect([other.status, ((await other.json()) as GraphqlResponse).errors?.[0]?.extensions.code]).toEqual([
      400,
      "OPERATION_NOT_SAVED",
    ]);
  });

  test.each([
    ["Defer20220824Handler", new Defer20220824Handler()],
    ["GraphQL17Alpha9Handler", new GraphQL17Alpha9Handler()],
  ])("Apollo Client with %s", async (_name, incrementalHandler) => {
    const { handler, open } = slowAgents();
    const { url } = await inFrontOf(handler);
    const { seen, end } = watchWithApollo(url, query, incrementalHandler);
    await expect.poll(() => seen.at(-1)).toMatchObject(["streaming", { me: { id: "1" } }]);
    open();
    await expect.poll(() => seen.at(-1)).toMatchObject(["complete", whole]);
    end();
  });

  test("urql", async () => {
    const { handler, open } = slowAgents();
    const { url } = await inFrontOf(handler);
    const fetchOptions = { headers: { "x-api-key": "key" } };
    const client = new Client({
      url: url.href,
      exchanges: [cacheExchange, fetchExchange],
      preferGetMethod: false,
      fetchOptions,
    });
    const seen: unknown[] = [];
    const subscription = client.query(query, {}).subscribe(({ data, hasNext }) => seen.push([hasNext, data]));
    await expect.poll(() => seen.at(-1)).toMatchObject([true, { me: { id: "1" } }]);
    open();
    await expect.poll(() => seen.at(-1)).toMatchObject([false, whole]);
    subscription.unsubscribe();
  });
});

/**
 * Answers without an execution of their own: whoever asks the same again gets the same text while REST allows to use all
 * of its responses, and identical queries that wait together are executed once.
 */
import type { Server, ServerResponse } from "node:http";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { pauseMs } from "../../../../src/engine/runtime/governor/request-coalescer.ts";
import { inFrontOf } from "./rest-stand-in.ts";

const me = { id: "usr_1", tenantId: "ten_1", roles: [], permissions: [], features: [] };
const query = "{ me { id email } }";

/** A REST platform that counts its responses in the caller's e-mail address. */
async function counting(headers: Record<string, string> = { "cache-control": "max-age=60" }) {
  const given = { headers, status: 200 };
  let count = 0;
  const answer = (response: ServerResponse, value: object): void =>
    void response
      .writeHead(given.status, { "content-type": "application/json", ...given.headers })
      .end(JSON.stringify(value));
  const layer = await inFrontOf((request, response) => {
    request.resume();
    if (request.method === "POST") answer(response, { id: "msg_1" });
    else if (request.url?.startsWith("/v1/ai/agents")) answer(response, { items: [] });
    else answer(response, { ...me, email: `${++count}@example.com` });
  });
  const { executions } = layer.server;
  const body = JSON.stringify({ query });
  const ask = async (more: Record<string, string> = {}, text = body): Promise<string> => {
    const response = await layer.post("", {
      headers: { "content-type": "application/json", "x-api-key": "key", ...more },
      body: text,
    });
    const { data } = (await response.json()) as { data?: { me: { email: string } | null } };
    return data?.me?.email ?? "none";
  };
  const get = (more: Record<string, string> = {}): Promise<Response> => {
    const url = new URL(layer.url);
    url.searchParams.set("query", query);
    return fetch(url, { headers: { "x-api-key": "key", ...more } });
  };
  return {
    ...layer,
    given,
    ask,
    get,
    count: () => count,
    runs: () => executions.count,
  };
}

test("the same question is executed once", async () => {
  const { ask, runs } = await counting();
  expect([await ask(), await ask(), await ask()]).toEqual(Array(3).fill("1@example.com"));
  expect(runs()).toBe(1);
});

test("outside production, Cache-Status says whether a query was executed", async () => {
  const { url, get } = await counting();
  const headers = { "content-type": "application/json", "x-api-key": "key" };
  const statusOf = async (text: string, more: Record<string, string> = {}) =>
    (
      await fetch(url, {
        method: "POST",
        headers: { ...headers, ...more },
        body: JSON.stringify({ query: text }),
      })
    ).headers.get("cache-status");
  expect(await statusOf(query)).toBe("restbound; fwd=miss");
  expect(await statusOf(query)).toMatch(/^restbound; hit; ttl=(?:59|60)$/);
  expect(await statusOf(query, { "x-explain-calls": "1" })).toBe("restbound; fwd=bypass");
  expect(await statusOf("{ nothing }")).toBe("restbound; fwd=miss");
  expect(await statusOf('mutation { sendMessage(channel: "a", to: "b", body: "c") { id } }')).toBe(
    "restbound; fwd=method",
  );
  expect((await get()).headers.get("cache-status")).toBe("restbound; fwd=miss");
});

test("in production there is no Cache-Status", async () => {
  const { post } = await inFrontOf(
    (_request, response) =>
      void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(me)),
    { NODE_ENV: "production" },
  );
  const answer = await post(query);
  expect([answer.status, answer.headers.get("cache-status")]).toEqual([200, null]);
});

test("a client that has the answer gets 304 without an execution", async () => {
  const { get, runs } = await counting();
  const tag = (await get()).headers.get("etag") ?? "";
  expect((await get({ "if-none-match": tag })).status).toBe(304);
  const again = await get();
  expect([again.status, again.headers.get("etag"), await again.json()]).toEqual([
    200,
    tag,
    { data: { me: { id: "usr_1", email: "1@example.com" } } },
  ]);
  expect(again.headers.get("cache-control")).toMatch(/^private, max-age=(?:59|60)$/);
  expect(again.headers.get("vary")).toMatch(/accept-language.*x-api-key/);
  expect(runs()).toBe(1);
});

test.each<[string, Record<string, string>]>([
  ["another key", { "x-api-key": "other" }],
  ["another credential", { authorization: "Bearer other" }],
  ["another language", { "accept-language": "pt" }],
])("%s gets an answer of its own", async (_name, headers) => {
  const { ask } = await counting();
  expect(await ask()).toBe("1@example.com");
  expect(await ask(headers)).toBe("2@example.com");
  expect(await ask()).toBe("1@example.com");
});

test("another query gets its own response", async () => {
  const { ask, runs } = await counting();
  await ask();
  expect(await ask({}, JSON.stringify({ query: "{ me { email } }" }))).toBe("1@example.com");
  expect(runs()).toBe(2);
});

test("an answer is executed again when its time is over", async () => {
  const { ask, runs } = await counting();
  await ask();
  const late = performance.now() + 61_000;
  const now = vi.spyOn(performance, "now").mockImplementation(() => late);
  const answer = await ask().finally(() => now.mockRestore());
  expect([answer, runs()]).toEqual(["2@example.com", 2]);
});

test("a write of its caller drops it", async () => {
  const { ask, post, runs } = await counting();
  await ask();
  await post('mutation { sendMessage(channel: "webchat", to: "con_1", body: "hi") { id } }');
  expect(await ask()).toBe("2@example.com");
  expect(runs()).toBe(3);
});

test.each<[string, Record<string, string>]>([
  ["says nothing", {}],
  ["says no-store", { "cache-control": "no-store" }],
  ["asks for a condition each time", { "cache-control": "no-cache", etag: '"1"' }],
  ["varies by anything", { "cache-control": "max-age=60", vary: "*" }],
])("it is executed again if REST %s", async (_name, headers) => {
  const { ask, runs } = await counting(headers);
  await ask();
  await ask();
  expect(runs()).toBe(2);
});

test("it is executed again if one of its responses may not be used again", async () => {
  const { ask, given, runs } = await counting();
  await ask();
  given.headers = {};
  const text = JSON.stringify({ query: "{ me { email } agents { id } }" });
  expect([await ask({}, text), await ask({}, text)]).toEqual(["1@example.com", "1@example.com"]);
  expect(runs()).toBe(3);
});

test("an answer with an error is executed again", async () => {
  const { ask, given, runs } = await counting();
  given.status = 500;
  expect([await ask(), await ask()]).toEqual(["none", "none"]);
  expect(runs()).toBe(2);
});

test("a client that asks for the REST calls gets them, with the age of a cached response", async () => {
  const { ask, post, runs } = await counting({ "cache-control": "max-age=60", age: "30" });
  await ask();
  const explained = await post(query, {
    headers: { "content-type": "application/json", "x-api-key": "key", "x-explain-calls": "1" },
    body: JSON.stringify({ query }),
  });
  const { extensions } = (await explained.json()) as { extensions: object };
  expect(extensions).toMatchObject({ calls: [{ source: "cached", ageSeconds: expect.any(Number) }] });
  expect(extensions).toHaveProperty("calls[0].ageSeconds", expect.closeTo(30, -1));
  expect(runs()).toBe(2);
});

/** A REST platform whose responses wait for `release`. */
async function holding() {
  const held: { readonly url: string; readonly send: (status?: number) => void }[] = [];
  const layer = await inFrontOf((request, response) => {
    const email = `${held.length + 1}@example.com`;
    const send = (status = 200): void =>
      void response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify({ ...me, email }));
    held.push({ url: request.url ?? "", send });
  });
  const statuses: unknown[] = [];
  const ask = async (init: RequestInit = {}, text = query) => {
    const answer = await layer.post(text, init);
    statuses.push(answer.headers.get("cache-status"));
    return (await answer.json()) as {
      data?: { me: { email: string } | null };
      errors?: { extensions: { code: string; requestId: string } }[];
    };
  };
  const { executions } = layer.server;
  const calls = (count: number) => vi.waitFor(() => expect(held).toHaveLength(count), 5_000);
  const arrived = (count: number) =>
    vi.waitFor(async () => expect(await connections(layer.server.server)).toBe(count), 5_000);
  return { ask, held, calls, arrived, statuses, runs: () => executions.count };
}

/** On a busy machine the pause may be over before all queries have arrived. Here it never is. */
function waitForTheEnd(): () => void {
  const at = performance.now();
  const start = setTimeout;
  const now = vi.spyOn(performance, "now").mockReturnValue(at);
  const timers = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((run: () => void, ms?: number, ...given: []) =>
      start(ms === pauseMs ? () => {} : run, ms, ...given)) as typeof setTimeout);
  return () => {
    now.mockRestore();
    timers.mockRestore();
  };
}

const connections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));

test("a query does not wait for an identical one that hangs", async () => {
  const { ask, held, calls } = await holding();
  const first = ask();
  await calls(1);
  const second = ask();
  await calls(2);
  held[1]?.send();
  expect((await second).data?.me?.email).toBe("2@example.com");
  held[0]?.send();
  await first;
});

describe("identical queries that wait together", () => {
  let mayPause = (): void => {};
  beforeEach(() => {
    mayPause = waitForTheEnd();
    return mayPause;
  });

  test("are executed once, after the one that is under way", async () => {
    const { ask, held, calls, arrived, statuses, runs } = await holding();
    const first = ask();
    await calls(1);
    const others = Array.from({ length: 20 }, () => ask());
    await arrived(21);
    held[0]?.send();
    expect((await first).data?.me?.email).toBe("1@example.com");
    await calls(2);
    held[1]?.send();
    for (const { data } of await Promise.all(others)) expect(data?.me?.email).toBe("2@example.com");
    expect([runs(), held.length]).toEqual([2, 2]);
    const executed = "restbound; fwd=miss";
    const joined = "restbound; fwd=miss; collapsed";
    expect(statuses.sort()).toEqual([executed, executed, ...Array(19).fill(joined)]);
  });

  test("all get its error, each with its own request id", async () => {
    const { ask, held, calls, arrived, runs } = await holding();
    const first = ask();
    await calls(1);
    const others = Array.from({ length: 3 }, () => ask());
    await arrived(4);
    held[0]?.send();
    await first;
    await calls(2);
    held[1]?.send(403);
    const errors = (await Promise.all(others)).map((answer) => answer.errors?.[0]?.extensions);
    expect(errors.map((error) => error?.code)).toEqual(["FORBIDDEN", "FORBIDDEN", "FORBIDDEN"]);
    expect(new Set(errors.map((error) => error?.requestId)).size).toBe(3);
    expect(runs()).toBe(2);
  });

  test("are executed if the client of the first one leaves", async () => {
    const { ask, held, calls, arrived } = await holding();
    const first = ask();
    await calls(1);
    const client = new AbortController();
    const second = ask({
      headers: { "content-type": "application/json", "x-api-key": "key" },
      signal: client.signal,
    }).catch(() => "left");
    await arrived(2);
    const third = ask();
    await arrived(3);
    held[0]?.send();
    await first;
    await calls(2);
    mayPause();
    client.abort();
    expect(await second).toBe("left");
    await calls(3);
    held[2]?.send();
    expect((await third).data?.me?.email).toBe("3@example.com");
  });

  test.each<[string, RequestInit]>([
    ["another key", { headers: { "content-type": "application/json", "x-api-key": "other" } }],
    ["another language", { headers: { "content-type": "application/json", "accept-language": "pt" } }],
  ])("are executed each if one has %s", async (_name, init) => {
    const { ask, held, calls } = await holding();
    const answers = [ask(), ask(init)];
    await calls(2);
    for (const { send } of held) send();
    const emails = (await Promise.all(answers)).map(({ data }) => data?.me?.email);
    expect(emails.sort()).toEqual(["1@example.com", "2@example.com"]);
  });
});

test("mutations that are alike are executed each", async () => {
  const { ask, held, calls } = await holding();
  const text = 'mutation { sendMessage(channel: "webchat", to: "con_1", body: "hi") { id } }';
  const answers = Array.from({ length: 3 }, () => ask({}, text));
  await calls(3);
  for (const { send } of held) send();
  for (const { errors } of await Promise.all(answers)) expect(errors).toBeUndefined();
});

test("identical queries of a caller that owes processor time wait for the first one's turn, and are one execution after it", async () => {
  const { ask, runs, server } = await counting({});
  await ask(); // REST has accepted the credential
  const { promise: turn, resolve: pay } = Promise.withResolvers<void>();
  vi.spyOn(server.upstreams.shares.processor, "turnOf").mockReturnValue(turn);
  const goOn = waitForTheEnd();
  const before = runs();
  const answers = Array.from({ length: 20 }, () => ask());
  await vi.waitFor(() => expect(server.quotas.requests_in_flight?.used).toBe(20), 5_000);
  expect(runs()).toBe(before);
  goOn();
  pay();
  expect(new Set(await Promise.all(answers)).size).toBe(2);
  expect(runs() - before).toBe(2);
});

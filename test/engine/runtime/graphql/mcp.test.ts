/** Messages of agents: their admission, a client that leaves, many calls in one message, and other spellings of the path. */
import { hash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { buildSchema } from "graphql";
import { expect, onTestFinished, test, vi } from "vitest";
import { emitManifest } from "../../../../src/engine/build/codegen/emit-documents.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { toolsOf } from "../../../../src/engine/mcp/tools.ts";
import { msPerMessage, msPerMessageValue } from "../../../../src/engine/runtime/governor/work-costs.ts";
import { RequestRecord } from "../../../../src/engine/runtime/observe/request-record.ts";
import type { ManifestEntry } from "../../../../src/engine/runtime/rest/generated-api.ts";
import { largeBodies, valuesPerMessage } from "../../../../src/engine/runtime/settings/capacity.ts";
import { api } from "../../desk/generated/index.ts";
import { alone } from "../governor/alone.ts";
import { inFrontOf, me, send } from "./rest-stand-in.ts";

const body = "query Me { me { id } }";
const tool = { id: hash("sha256", body), name: "Me", body, tool: "Reads the profile." };
const served = { ...api, savedOperations: [tool] } as typeof api;
const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "x-api-key": "key",
};
const call = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "Me" } });

test("the reads of a call are aborted when its client leaves, and its place is free", async () => {
  let arrived = 0;
  let ended = 0;
  const { url, server } = await inFrontOf(
    (_request, response) => {
      arrived++;
      response.once("close", () => ended++);
    },
    { MCP: "on", CALL_TIMEOUT_MS: "120000", REQUEST_TIMEOUT_MS: "120000" },
    served,
  );
  const leaving = new AbortController();
  const init = { method: "POST", headers, body: JSON.stringify(call(1)), signal: leaving.signal };
  fetch(new URL("/v1/mcp", url), init).catch(() => {});
  await expect.poll(() => arrived).toBe(1);
  leaving.abort();
  await expect.poll(() => ended).toBe(1);
  expect(Object.entries(server.quotas).filter(([, { used: held }]) => held !== 0)).toEqual([]);
});

test("a call is one request under way, and not two: a caller has as many calls at once as requests", async () => {
  const open = Promise.withResolvers<void>();
  const { url, server } = await inFrontOf(
    (_request, response) => void open.promise.then(() => send(response, me)),
    { MCP: "on", MAX_CONCURRENT_REQUESTS: "64", CALL_TIMEOUT_MS: "120000", REQUEST_TIMEOUT_MS: "120000" },
    served,
  );
  const most = alone(64);
  expect(most).toBeGreaterThanOrEqual(40);
  const ask = async (id: number): Promise<unknown> => {
    const init = { method: "POST", headers, body: JSON.stringify(call(id)) };
    return (await fetch(new URL("/v1/mcp", url), init)).json();
  };
  const held = () => [server.quotas.requests_in_flight?.used, server.quotas.executing?.used];
  const first = ask(0);
  await expect.poll(() => server.upstreams.callsInFlight).toBe(1);
  expect(held()).toEqual([1, 1]);
  const others = Array.from({ length: most - 1 }, (_, id) => ask(id + 1));
  await expect.poll(held).toEqual([most, expect.any(Number)]);
  open.resolve();
  for (const answer of await Promise.all([first, ...others]))
    expect(answer).toMatchObject({ result: { structuredContent: { data: { me: { id: "1" } } } } });
  await expect.poll(held).toEqual([0, 0]);
});

test("a large message counts with its bytes while its calls are under way", async () => {
  const open = Promise.withResolvers<void>();
  const { url, server } = await inFrontOf(
    (_request, response) => void open.promise.then(() => send(response, me)),
    { MCP: "on", MAX_OPERATIONS: "2", CALL_TIMEOUT_MS: "120000", REQUEST_TIMEOUT_MS: "120000" },
    served,
  );
  const unused = "x".repeat(largeBodies.from);
  const [one, other] = [call(1), call(2)].map((each) => ({
    ...each,
    params: { ...each.params, _meta: { unused } },
  }));
  const body = JSON.stringify([one, other]);
  const answered = fetch(new URL("/v1/mcp", url), { method: "POST", headers, body });
  await expect.poll(() => server.upstreams.callsInFlight).toBe(2);
  expect(server.quotas.bodies?.used).toBe(body.length);
  open.resolve();
  expect((await answered).status).toBe(200);
  await expect.poll(() => server.quotas.bodies?.used).toBe(0);
});

test("a message is charged to its caller, and one of a caller that owes processor time waits", async () => {
  const { url, server, ask } = await inFrontOf(
    (_request, response) => send(response, me),
    { MCP: "on" },
    served,
  );
  await ask("{ me { id } }"); // REST has accepted the credential
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const listFor = async (key: string): Promise<number> => {
    const init = { method: "POST", headers: { ...headers, "x-api-key": key }, body: JSON.stringify(list) };
    return (await fetch(new URL("/v1/mcp", url), init)).status;
  };
  const { processor } = server.upstreams.shares;
  const caller = processor.enter("key x-api-key: key");
  expect(await listFor("other")).toBe(200); // a caller that is alone pays nothing
  const worked = vi.spyOn(processor, "charge");
  expect(await listFor("key")).toBe(200);
  expect(worked).toHaveBeenCalledWith(caller, msPerMessage, expect.anything());
  processor.charge(caller, 12); // about 70 ms of debt
  const until = caller.debtClearedAt;
  expect(await listFor("key")).toBe(200);
  expect(performance.now()).toBeGreaterThanOrEqual(until);
});

test("the values of a message are few, and charged to its caller", async () => {
  const { url, server } = await inFrontOf((_request, response) => send(response, me), { MCP: "on" }, served);
  const worked = vi.spyOn(server.upstreams.shares.processor, "charge");
  const answerTo = async (values: number): Promise<unknown> => {
    const unused = Array(values).fill(0);
    const body = JSON.stringify({ ...call(1), params: { name: "Me", _meta: { unused } } });
    return (await fetch(new URL("/v1/mcp", url), { method: "POST", headers, body })).json();
  };
  expect(await answerTo(valuesPerMessage - 100)).toMatchObject({ result: { isError: false } });
  const charged = worked.mock.calls.map(([, ms]) => ms);
  expect(Math.max(...charged)).toBeGreaterThanOrEqual(msPerMessageValue * (valuesPerMessage - 100));
  expect(JSON.stringify(await answerTo(valuesPerMessage))).toContain(`at most ${valuesPerMessage} values`);
});

test("the call's own request has a number of bytes in the log, though no connection carried it", async () => {
  const finish = vi.spyOn(RequestRecord.prototype, "finish");
  const { url } = await inFrontOf((_request, response) => send(response, me), { MCP: "on" }, served);
  await (
    await fetch(new URL("/v1/mcp", url), { method: "POST", headers, body: JSON.stringify(call(1)) })
  ).text();
  await expect
    .poll(() => finish.mock.calls.map(([status, , bytes]) => [status, Number.isNaN(bytes)]))
    .toEqual([
      [200, false],
      [200, false],
    ]);
});

test("a message carries at most MAX_OPERATIONS calls", async () => {
  const { server } = await inFrontOf(
    (_request, response) => send(response, me),
    { MCP: "on", MAX_OPERATIONS: "2" },
    served,
  );
  const answerOf = async (count: number): Promise<unknown> => {
    const payload = Array.from({ length: count }, (_, id) => call(id));
    return (await server.inject({ method: "POST", url: "/v1/mcp", headers, payload })).json();
  };
  const result = { structuredContent: { data: { me: { id: "1" } } }, isError: false };
  expect(await answerOf(2)).toMatchObject([{ result }, { result }]);
  expect(JSON.stringify(await answerOf(3))).toContain("a batch may have at most 2 operations");
});

test.each([
  [undefined, 200],
  ["*/*", 200],
  ["application/json", 200],
  ["application/*;q=0.5, text/html", 200],
  ["application/json, text/event-stream", 200],
  ["text/event-stream", 406],
  ["application/json;q=0, text/event-stream", 406],
  ["text/html", 406],
])("an answer is JSON for whoever accepts that: %s", async (accept, status) => {
  const { server } = await inFrontOf((_request, response) => send(response, me), { MCP: "on" }, served);
  const { accept: _, ...others } = headers;
  const answer = await server.inject({
    ...{ method: "POST", url: "/v1/mcp", payload: call(1) },
    headers: { ...others, ...(accept !== undefined && { accept }) },
  });
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([
    status,
    "application/json; charset=utf-8",
  ]);
  if (status === 406)
    expect(answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32_000 }, id: null });
  else expect(answer.json()).toMatchObject({ result: { isError: false } });
});

test("a message that cancels its own call ends all the same", async () => {
  const { url, server } = await inFrontOf(
    (_request, response) => send(response, me),
    { MCP: "on", MAX_OPERATIONS: "2" },
    served,
  );
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  const init = { method: "POST", headers, body: JSON.stringify([call(1), cancelled]) };
  expect((await fetch(new URL("/v1/mcp", url), init)).status).toBe(200);
  await expect
    .poll(() => Object.entries(server.quotas).filter(([, { used: held }]) => held !== 0))
    .toEqual([]);
});

test.each(["/v1/mcp", "/v1/mcp?a", "/v1/%6dcp", "/v1/mc%70?a"])(
  "a page of another origin is refused at %s",
  async (path) => {
    const { server } = await inFrontOf((_request, response) => send(response, me), { MCP: "on" }, served);
    const origin = "https://page.example";
    const post = { method: "POST" as const, url: path, payload: call(1) };
    expect((await server.inject({ ...post, headers: { ...headers, origin } })).statusCode).toBe(403);
    expect((await server.inject({ ...post, headers })).statusCode).toBe(200);
  },
);

test("a call with an argument that its tool does not have is refused, and never reaches REST", async () => {
  const body = "query Contact($id: ID!) { contact(id: $id) { id } }";
  const contact = { id: hash("sha256", body), name: "Contact", body, tool: "Reads a contact." };
  const calls: unknown[] = [];
  const { server } = await inFrontOf(
    (request, response) => {
      calls.push(request.url);
      send(response, me);
    },
    { MCP: "on" },
    { ...api, savedOperations: [tool, contact] } as typeof api,
  );
  /** `given`: the arguments as JSON, because a literal's `__proto__` is no member. */
  const answerTo = async (name: string, given: string): Promise<unknown> => {
    const payload = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`;
    return (await server.inject({ method: "POST", url: "/v1/mcp", headers, payload })).json();
  };
  for (const unknown of ["ID", "id ", "constructor", "__proto__", "toString", ""]) {
    const message = `the tool Contact has no argument ${JSON.stringify(unknown)}; it has id`;
    expect(await answerTo("Contact", `{"id":"1","${unknown}":{}}`)).toMatchObject({
      result: {
        isError: true,
        structuredContent: { data: null, errors: [{ message, extensions: { code: "BAD_USER_INPUT" } }] },
      },
    });
  }
  expect(JSON.stringify(await answerTo("Me", '{"id":1}'))).toContain("; it has none");
  for (const given of ["[]", '["id"]', '"id"', "1", "true", "null"])
    expect(await answerTo("Contact", given), given).toMatchObject({ error: { code: -32602 } });
  expect(calls).toEqual([]);
  expect(await answerTo("Me", "{}")).toMatchObject({ result: { isError: false } });
});

test("a number out of range is no null", async () => {
  const calls: string[] = [];
  const contact = "query Contact($id: ID) { contact(id: $id) { id } }";
  const contacts = { id: hash("sha256", contact), name: "Contact", body: contact, tool: "Reads a contact." };
  const { server } = await inFrontOf(
    ({ url = "" }, response) => send(response, { ...me, id: calls.push(url) }),
    { MCP: "on" },
    { ...api, savedOperations: [contacts] } as typeof api,
  );
  for (const number of ["1e400", "-1e999", '[{"a":1e400}]']) {
    const payload = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Contact","arguments":{"id":${number}}}}`;
    const { result } = (await server.inject({ method: "POST", url: "/v1/mcp", headers, payload })).json();
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { errors: [{ message: "the arguments contain a number out of range" }] },
    });
  }
  expect(calls).toEqual([]);
});

test("the input schema of a custom scalar allows any value, that of a date scalar text", () => {
  const schema = buildSchema(
    "scalar JSON scalar Date scalar DateTime input In { j: JSON d: Date } type Query { a(j: JSON! js: [JSON!] i: In d: DateTime id: ID n: Int): Int }",
  );
  const body =
    "query A($j: JSON!, $js: [JSON!], $i: In, $d: DateTime, $id: ID, $n: Int) { a(j: $j, js: $js, i: $i, d: $d, id: $id, n: $n) }";
  const entry = { id: "1", name: "A", body, tool: "Reads a." };
  const [read] = toolsOf({ savedOperations: [entry], argumentSchemas: {} } as never, schema);
  const text = { type: "string" };
  expect(read?.inputSchema.properties).toEqual({
    j: {},
    js: { type: "array", items: {} },
    i: expect.objectContaining({ properties: { j: {}, d: text } }),
    ...{ d: text, id: text, n: { type: "integer" } },
  });
});

/** The answer to a message, or to a batch of at most three. */
async function answering() {
  const contact = "query Contact($id: ID!) { contact(id: $id) { id } }";
  const contacts = { id: hash("sha256", contact), name: "Contact", body: contact, tool: "Reads a contact." };
  const { server } = await inFrontOf(
    ({ url = "" }, response) => send(response, { ...me, id: url.split("/").at(-1) }),
    { MCP: "on", MAX_OPERATIONS: "3" },
    { ...api, savedOperations: [tool, contacts] } as typeof api,
  );
  return async (message: unknown) => {
    const payload = JSON.stringify(message);
    const { statusCode, body } = await server.inject({ method: "POST", url: "/v1/mcp", headers, payload });
    return { status: statusCode, answer: JSON.parse(body) as unknown };
  };
}

const contactOf = (id: unknown, key: string) => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name: "Contact", arguments: { id: key } },
});

test("two requests of a batch with the same id are refused, and ids that differ in their type are not", async () => {
  const ask = await answering();
  for (const second of [contactOf(1, "b"), { jsonrpc: "2.0", id: 1, method: "ping" }])
    expect(await ask([contactOf(1, "a"), second])).toMatchObject({
      status: 400,
      answer: { error: { code: -32_600, message: expect.stringContaining("same id") }, id: null },
    });
  expect(await ask([contactOf(1, "a"), contactOf("1", "b")])).toMatchObject({
    status: 200,
    answer: [
      { id: 1, result: resultOf("a") },
      { id: "1", result: resultOf("b") },
    ],
  });
});

test.each<[name: string, other: object]>([
  ["result", { jsonrpc: "2.0", id: 1, result: {} }],
  ["error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "m" } }],
  ["notification", { jsonrpc: "2.0", method: "notifications/progress", params: { arguments: { id: "c" } } }],
])("a call keeps its arguments beside a client's %s, before and after it", async (_name, other) => {
  const ask = await answering();
  for (const batch of [
    [other, contactOf(1, "a")],
    [contactOf(1, "a"), other],
  ])
    expect(await ask(batch)).toMatchObject({ status: 200, answer: { id: 1, result: resultOf("a") } });
});

/** The result of a call of `contactOf`. */
const resultOf = (key: string) => ({ isError: false, structuredContent: { data: { contact: { id: key } } } });

const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } };

test.each<[method: string, params: unknown]>([
  ["initialize", undefined],
  ["initialize", {}],
  ["initialize", { ...hello, protocolVersion: 5 }],
  ["initialize", { ...hello, clientInfo: 1 }],
  ["tools/list", { cursor: 5 }],
  ["tools/call", undefined],
  ["tools/call", {}],
  ["tools/call", { name: 5 }],
  ...["initialize", "ping", "tools/list", "tools/call"].flatMap((method): [string, unknown][] =>
    [[], 5, "text", null, { ...hello, name: "Me", _meta: 1 }].map((params) => [method, params]),
  ),
])("malformed params of %s are -32602: %j", async (method, params) => {
  const ask = await answering();
  const request = { jsonrpc: "2.0", id: 7, method, params };
  const error = { code: -32_602, message: expect.stringMatching(/^Invalid params: params/) };
  expect(await ask(request)).toEqual({ status: 200, answer: { jsonrpc: "2.0", id: 7, error } });
  expect(await ask([request, contactOf(8, "a")])).toMatchObject({
    status: 200,
    answer: [
      { id: 7, error },
      { id: 8, result: { isError: false } },
    ],
  });
});

test("a method that is not served is -32601, whatever its params", async () => {
  const ask = await answering();
  for (const params of [{}, [], 5])
    expect(await ask({ jsonrpc: "2.0", id: 7, method: "no/such", params })).toMatchObject({
      answer: { id: 7, error: { code: -32_601 } },
    });
  expect(await ask({ jsonrpc: "2.0", id: 7, method: "initialize", params: hello })).toMatchObject({
    answer: { id: 7, result: { protocolVersion: "2025-06-18" } },
  });
});

test.each<[message: unknown, id?: unknown]>([
  [{}],
  [5],
  [null],
  ["text"],
  [[[]]],
  [{ jsonrpc: "1.0", id: 1, method: "ping" }],
  [{ jsonrpc: "2.0", id: 1, method: 5 }],
  [{ jsonrpc: "2.0", id: 1 }],
  [{ jsonrpc: "2.0", id: 1, result: 5 }],
  [{ jsonrpc: "2.0", method: "notifications/initialized", params: [] }],
  ...[null, 1.5, 1e20, true, {}, []].map((id): [unknown] => [contactOf(id, "b")]),
  [{ ...contactOf("x", "b"), extra: 1 }, "x"],
])("a message that is not of MCP is -32600, with the id of a request: %j", async (message, id = null) => {
  const ask = await answering();
  const error = { code: -32_600, message: expect.stringMatching(/^Invalid Request: /) };
  const refused = { jsonrpc: "2.0", id, error };
  const status = id === null ? 400 : 200;
  if (!Array.isArray(message)) expect(await ask(message)).toEqual({ status, answer: refused });
  expect(await ask([message])).toEqual({ status, answer: [refused] });
  expect(await ask([message, contactOf(8, "a")])).toMatchObject({
    status: 200,
    answer: [refused, { id: 8, result: resultOf("a") }],
  });
});

test("a message that cannot be answered and notifications are a 400 together", async () => {
  const ask = await answering();
  const note = { jsonrpc: "2.0", method: "notifications/initialized" };
  const refused = { jsonrpc: "2.0", id: null, error: { code: -32_600, message: expect.anything() } };
  expect(await ask([{}, note])).toEqual({ status: 400, answer: [refused] });
  const malformed = { jsonrpc: "2.0", id: 7, method: "tools/call" };
  expect(await ask([malformed, note])).toMatchObject({ status: 200, answer: [{ id: 7 }] });
});

test.each(["", "zz", "MA=="])("no cursor was ever sent, so each is -32602: %j", async (cursor) => {
  const ask = await answering();
  expect(await ask({ jsonrpc: "2.0", id: 7, method: "tools/list", params: { cursor } })).toMatchObject({
    answer: { id: 7, error: { code: -32_602, message: expect.stringContaining("cursor") } },
  });
  expect(await ask({ jsonrpc: "2.0", id: 7, method: "tools/list", params: {} })).toMatchObject({
    answer: { id: 7, result: { tools: expect.anything() } },
  });
});

test("a batch is refused where the protocol revision has none, and says why", async () => {
  const { server } = await inFrontOf((_request, response) => send(response, me), { MCP: "on" }, served);
  const answerTo = async (revision: string, payload: object) => {
    const all = { ...headers, "mcp-protocol-version": revision };
    const answer = await server.inject({ method: "POST", url: "/v1/mcp", headers: all, payload });
    return [answer.statusCode, answer.body] as const;
  };
  for (const revision of ["2025-06-18", "2025-11-25"]) {
    for (const batch of [[call(1)], [call(1), call(2)], []]) {
      const [status, body] = await answerTo(revision, batch);
      expect(status).toBe(400);
      expect(body).toContain("this protocol revision has no JSON-RPC batches");
    }
    expect((await answerTo(revision, call(1)))[0]).toBe(200);
  }
  expect((await answerTo("2025-03-26", [call(1)]))[0]).toBe(200);
});

test("a batch of many calls leaves no listeners behind, and warns of none", async () => {
  const { server } = await inFrontOf(
    (_request, response) => send(response, me),
    { MCP: "on", MAX_OPERATIONS: "30" },
    served,
  );
  const warned = vi.fn();
  process.on("warning", warned);
  onTestFinished(() => void process.off("warning", warned));
  const payload = Array.from({ length: 30 }, (_, id) => call(id));
  const answer = await server.inject({ method: "POST", url: "/v1/mcp", headers, payload });
  expect(answer.json()).toHaveLength(30);
  await new Promise(setImmediate);
  expect(
    warned.mock.calls.map(([warning]) => String(warning)).filter((each) => each.includes("Listeners")),
  ).toEqual([]);
});

test("a body that is not UTF-8 is refused, and not stored with other characters", async () => {
  const seen: unknown[] = [];
  const { server } = await inFrontOf(
    (request, response) => {
      seen.push(request.url);
      send(response, me);
    },
    { MCP: "on" },
    served,
  );
  const bytes = (text: string) => Buffer.from(text, "latin1");
  for (const [url, payload] of [
    [
      "/v1/mcp",
      bytes(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Me","_meta":{"a":"\xe9"}}}`),
    ],
    ["/v1/graphql", bytes(`{"query":"{ me { id } } # \xe9"}`)],
    ["/v1/graphql", bytes(`{"query":"{ me { id } }","variables":{"a":"\xed\xa0\x80"}}`)],
  ] as const) {
    const answer = await server.inject({ method: "POST", url, headers, payload });
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining("not UTF-8")]);
  }
  expect(seen).toEqual([]);
  const marked = Buffer.from(`\ufeff${JSON.stringify({ query: "{ me { id } }" })}`);
  expect(
    (await server.inject({ method: "POST", url: "/v1/graphql", headers, payload: marked })).statusCode,
  ).toBe(200);
});

test("an empty batch is -32600", async () => {
  const ask = await answering();
  const error = { code: -32_600, message: expect.stringMatching(/^Invalid Request: /) };
  expect(await ask([])).toEqual({ status: 400, answer: { jsonrpc: "2.0", id: null, error } });
});

test("an unknown tool is -32602, and a client's names are cut in messages", async () => {
  const ask = await answering();
  const callOf = (name: string) => ({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name } });
  const refused = (message: string) => ({
    status: 200,
    answer: { jsonrpc: "2.0", id: 7, error: { code: -32_602, message } },
  });
  for (const name of ["", "me", "__proto__", "constructor"])
    expect(await ask(callOf(name))).toEqual(refused(`Unknown tool: ${name}`));
  expect(await ask([callOf("no"), contactOf(8, "a")])).toMatchObject({
    status: 200,
    answer: [{ id: 7, error: { code: -32_602 } }, { id: 8 }],
  });
  const long = "A".repeat(20_000);
  expect(await ask(callOf(long))).toEqual(refused(`Unknown tool: ${"A".repeat(100)}`));
  expect(await ask(callOf(`${"A".repeat(99)}😀`))).toEqual(refused(`Unknown tool: ${"A".repeat(99)}\ufffd`));
  const capabilities = { experimental: { [long]: 5 } };
  for (const [method, params] of [
    ["initialize", { ...hello, capabilities }],
    ["tools/call", { name: "Me", arguments: { [long]: 5 } }],
  ] as const)
    expect(JSON.stringify(await ask({ jsonrpc: "2.0", id: 7, method, params })).length).toBeLessThan(1000);
});

test.each([{}, { ttl: 1000 }, { ttl: "x" }, 5, null])(
  "`task` is ignored in every request, because tasks are not a capability: %j",
  async (task) => {
    const ask = await answering();
    const { params, ...contact } = contactOf(1, "a");
    expect(await ask({ ...contact, params: { ...params, task } })).toMatchObject({
      status: 200,
      answer: { id: 1, result: resultOf("a") },
    });
    const others = [
      { jsonrpc: "2.0", id: 2, method: "ping", params: { task } },
      { jsonrpc: "2.0", id: 3, method: "tools/list", params: { task } },
    ];
    expect(await ask([...others, { ...contact, params: { ...params, task } }])).toMatchObject({
      status: 200,
      answer: [
        { id: 2, result: {} },
        { id: 3, result: { tools: expect.any(Array) } },
        { id: 1, result: resultOf("a") },
      ],
    });
  },
);

test.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] as const)(
  "%s is a 405 that names POST",
  async (method) => {
    const { server } = await inFrontOf((_request, response) => send(response, me), { MCP: "on" }, served);
    for (const url of ["/v1/mcp", "/v1/mcp?a"]) {
      const { statusCode, headers: given } = await server.inject({ method: method as "PUT", url, headers });
      expect([statusCode, given.allow]).toEqual([405, "POST"]);
    }
  },
);

test("a client of the SDK reads hints that follow the methods of a mutation's root fields", async () => {
  const operation = (status: string) => ({
    operationId: "",
    responses: {
      [status]: { description: "", content: { "application/json": { schema: { type: "string" } } } },
    },
  });
  const paths = {
    "/a": {
      get: { ...operation("200"), operationId: "read" },
      post: { ...operation("201"), operationId: "create" },
      put: { ...operation("200"), operationId: "replace" },
      patch: { ...operation("200"), operationId: "change" },
      delete: { ...operation("200"), operationId: "remove" },
    },
    "/run": { post: { ...operation("200"), operationId: "run" } },
  };
  const names = ["create", "replace", "change", "remove", "run"];
  const field = (name: string) => `${name}: String @rest(operation: "${name}")`;
  const writing = (name: string, fields: string) =>
    `# Writes a. And more.\n# @tool ${name}\nmutation ${name} { ${fields} }`;
  const files = new Map([
    ["openapi.yaml", JSON.stringify({ openapi: "3.1.0", info: { title: "a", version: "1" }, paths })],
    ["schema.graphql", `type Query { ${field("read")} } type Mutation { ${names.map(field).join(" ")} }`],
    [
      "operations/a.graphql",
      [
        "# Reads a, e.g. all of it. And more.\n# @tool\nquery read { read }",
        "# @tool\nquery bare { read }",
        ...names.map((name) => writing(name, name)),
        writing("creates", "a: create b: create"),
        writing("createAndRun", "create ...F } fragment F on Mutation { run"),
        writing("removes", "a: remove b: remove"),
      ].join("\n"),
    ],
  ]);
  const { model, saved, diagnostics } = new Project(textFiles(files));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  if (!model) throw new Error("no model");
  const { operations } = JSON.parse(emitManifest(model, saved)) as { operations: ManifestEntry[] };
  const folder = mkdtempSync(join(tmpdir(), "mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const schema = pathToFileURL(join(folder, "schema.graphql"));
  writeFileSync(
    schema,
    "type Query { read: String } type Mutation { create: String replace: String change: String remove: String run: String }",
  );
  const { url } = await inFrontOf(
    (_request, response) => send(response, "a"),
    { MCP: "on" },
    {
      ...api,
      schema,
      resolvers: {},
      savedOperations: operations,
    },
  );
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { "x-api-key": "key" } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/v1/mcp", url), { requestInit }) as never);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  const reads = (title: string) => ({ title, readOnlyHint: true, openWorldHint: false });
  const writes = (idempotentHint: boolean, destructiveHint: boolean) => ({
    ...{ title: "Writes a", readOnlyHint: false, openWorldHint: false },
    idempotentHint,
    destructiveHint,
  });
  expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toEqual({
    read: reads("Reads a, e.g. all of it"),
    bare: reads("bare"),
    create: writes(false, false),
    replace: writes(true, true),
    change: writes(false, true),
    remove: writes(true, true),
    run: writes(false, true),
    creates: writes(false, false),
    createAndRun: writes(false, true),
    removes: writes(false, true),
  });
  for (const { title, annotations } of tools) expect(title).toBe(annotations?.title);
});

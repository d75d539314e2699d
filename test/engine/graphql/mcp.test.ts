/** Messages of agents: a client that leaves, many calls in one message, and other spellings of the path. */
import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { api } from "../desk/generated/index.ts";
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
  let [arrived, ended] = [0, 0];
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
  expect(Object.entries(server.bounds).filter(([, { held }]) => held !== 0)).toEqual([]);
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
  expect(JSON.stringify(await answerOf(3))).toContain("a request may carry at most 2 operations");
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

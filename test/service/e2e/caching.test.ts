/** Caching through all roles, by the headers of the embedded platform: nothing old, nothing of another caller. */

import { Agent, interceptors, request } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { api } from "../../../generated/index.ts";
import { keys, openLayer, range } from "./layer.ts";

const past = { from: "2026-01-01", to: "2026-01-31" };
const numbers =
  "query ($from: String!, $to: String!) { me { email } metrics(from: $from, to: $to) { name total } }";

/** Sends a query by GET. */
async function byGet(headers: Record<string, string> = {}, variables: object = past) {
  const layer = await openLayer();
  const search = new URLSearchParams({ query: numbers, variables: JSON.stringify(variables) });
  const get = (more: Record<string, string> = {}) =>
    layer.rest(`/v1/graphql?${search}`, { "x-api-key": keys.owner, ...headers, ...more });
  return { layer, get };
}

test("a client may keep an answer as long as REST allows to keep all of its responses", async () => {
  const { layer, get } = await byGet();
  const first = await get();
  expect(first.headers.get("cache-control")).toMatch(/^private, max-age=(?:9|10)$/);
  expect(first.headers.get("vary")).toMatch(/x-api-key/);
  const made = layer.calls.length;
  expect(await (await get()).json()).toEqual(await first.json());
  expect(layer.calls).toHaveLength(made);
});

test("a response that changes by the minute is asked for on condition each time, by the client too", async () => {
  const { layer, get } = await byGet({}, range(3));
  const first = await get();
  expect(first.headers.get("cache-control")).toBe("private, no-cache");
  const made = layer.calls.length;
  expect((await get({ "if-none-match": first.headers.get("etag") ?? "" })).status).toBe(304);
  expect(layer.calls.slice(made).map((call) => call.split("?")[0])).toEqual(["GET /v1/insights/metrics"]);
});

test("a client that has the answer gets 304, through the gateway", async () => {
  const { get } = await byGet();
  const first = await get();
  const tag = first.headers.get("etag") ?? "";
  expect(tag).toMatch(/^W\/".{43}"$/);
  for (const given of [tag, `"other", ${tag}`, tag.slice(2), "*"]) {
    const again = await get({ "if-none-match": given });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(again.headers.get("etag")).toBe(tag);
  }
  expect((await get({ "if-none-match": '"other"' })).status).toBe(200);
});

test("the tag of one caller's answer is of no use to another", async () => {
  const { get } = await byGet();
  const tag = (await get()).headers.get("etag") ?? "";
  const other = await get({ "x-api-key": keys.otherOwner, "if-none-match": tag });
  expect(other.status).toBe(200);
  expect(await other.text()).toContain("amara@lumen.example");
});

test.each(["shared", "private"] as const)(
  "undici's own %s cache keeps an answer for its caller alone",
  async (type) => {
    const { layer } = await byGet();
    const dispatcher = new Agent().compose(interceptors.cache({ type }));
    onTestFinished(() => dispatcher.close());
    const path = `/v1/graphql?${new URLSearchParams({ query: numbers, variables: JSON.stringify(past) })}`;
    const ask = async (key: string) => {
      const { headers, body } = await request(new URL(path, layer.url), {
        dispatcher,
        headers: { "x-api-key": key },
      });
      const { data } = (await body.json()) as { data: { me: { email: string } } };
      return [data.me.email, headers.age !== undefined];
    };
    await ask(keys.owner);
    expect(await ask(keys.owner)).toEqual(["olivia@harbor.example", type === "private"]);
    expect(await ask(keys.otherOwner)).toEqual(["amara@lumen.example", false]);
    expect(await ask(keys.owner)).toEqual(["olivia@harbor.example", type === "private"]);
  },
);

test("an answer with an error is not kept, and has no tag", async () => {
  const { get } = await byGet({}, { from: "2026-02-01", to: "2026-01-01" });
  const answer = await get();
  expect(await answer.json()).toHaveProperty("errors");
  expect([answer.headers.get("cache-control"), answer.headers.get("etag")]).toEqual([
    "private, no-store",
    null,
  ]);
});

test("a caller reads what it has just written", async () => {
  const { ask } = await openLayer();
  const to = (await ask("{ contacts { id } }")).data.contacts[0].id;
  const write =
    'mutation ($to: String!) { sendMessage(channel: "webchat", to: $to, body: "hi") { id conversation { id } } }';
  const read = "query ($id: ID!) { conversation(id: $id) { id messages { id } } }";
  for (let count = 1; count <= 3; count++) {
    const { data, errors } = await ask(write, { to });
    expect(errors).toBeUndefined();
    const { id, conversation } = data.sendMessage;
    expect((await ask(read, conversation)).data.conversation.messages).toContainEqual({ id });
  }
});

test("nothing writes to the values that requests share", async () => {
  const { ask } = await openLayer();
  const parse = JSON.parse;
  const frozen = vi.spyOn(JSON, "parse").mockImplementation((text: string) => freeze(parse(text)));
  onTestFinished(() => frozen.mockRestore());
  for (const { body } of api.savedOperations.filter(({ body }) => body.startsWith("query")))
    expect(
      (await ask(body, { ...range(7), q: "a", id: "con_1", conversationId: "cnv_1" })).errors,
      body,
    ).toBeUndefined();
});

function freeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) for (const one of Object.values(value)) freeze(one);
  return Object.freeze(value);
}

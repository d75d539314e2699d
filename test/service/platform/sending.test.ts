/** A sent message is stored, found in its conversation and counted. An idempotency key sends one message. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../../src/platform/store/store.ts";
import { first, get, items, keys, openPlatform, send } from "./fixture.ts";

let platform: FastifyInstance;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

const sent = async (): Promise<number> =>
  (await get(platform, "/v1/insights/metrics"))
    .json()
    .items.find(({ name }: { name: string }) => name === "messages_sent").total;

it("makes a contact and a conversation for an unknown address, and counts the message", async () => {
  const before = await sent();
  const response = await send(platform, { channel: "whatsapp", to: "+12025550188", body: "Hello there" });
  const message = response.json();
  expect(message).toMatchObject({
    channel: "whatsapp",
    direction: "outbound",
    status: "queued",
    to: "+12025550188",
    author: { type: "user", userId: "usr_harbor_olivia" },
  });
  expect(await first(platform, "/v1/inbox/conversations")).toMatchObject({
    id: message.conversationId,
    status: "pending",
    lastMessageAt: message.createdAt,
  });
  const { status: _status, deliveredAt, ...lasting } = message; // on a slow machine it is delivered by now
  expect(deliveredAt).toBeNull();
  expect(await first(platform, `/v1/inbox/messages?conversationIds=${message.conversationId}`)).toMatchObject(
    lasting,
  );
  expect((await get(platform, `/v1/messages/${message.id}`)).json()).toMatchObject(lasting);
  expect(await sent()).toBe(before + 1);
  const again = await send(platform, { channel: "whatsapp", to: "+12025550188", body: "And again" });
  expect(again.json().conversationId).toBe(message.conversationId);
});

it.each([
  [-60, "queued", null],
  [3.2, "sent", null],
  [9, "delivered", 6],
])("a message that was queued %d s ago is %s", (age, status, afterSeconds) => {
  const store = openStore(undefined);
  onTestFinished(() => store.close());
  const at = Date.now() - age * 1_000;
  const createdAt = new Date(at).toISOString();
  const ids = { id: "msg", conversationId: "cnv", contactId: "ctc", authorType: "user", authorId: "usr" };
  const sent = { channel: "sms", direction: "outbound", status: "queued", to: "+12025550143", body: "Hello" };
  const tenant = store.tenant("ten_a");
  tenant.run("insertMessage", { ...ids, ...sent, createdAt, deliveredAt: null });
  const deliveredAt = afterSeconds && new Date(at + afterSeconds * 1_000).toISOString();
  expect(tenant.get("messageById", { id: "msg" })).toMatchObject({ status, deliveredAt });
});

it("continues the open conversation of a known contact, found by number, e-mail address or id", async () => {
  const all = await items(platform, "/v1/crm/contacts?limit=100");
  const contact = all.find(({ email }) => email);
  for (const [channel, to] of [
    ["sms", contact?.phoneNumber],
    ["email", String(contact?.email).toUpperCase()],
    ["webchat", contact?.id],
  ]) {
    const { conversationId } = (await send(platform, { channel, to, body: "Hello" })).json();
    const conversation = (await get(platform, `/v1/inbox/conversations/${conversationId}`)).json();
    expect(conversation).toMatchObject({ contactId: contact?.id, channel, unreadCount: 0 });
  }
});

describe("with an Idempotency-Key", () => {
  const message = { channel: "sms", to: "+12025550189", body: "Once" };

  it("sends a repeated request once and repeats the answer, also when the requests are concurrent", async () => {
    const before = await sent();
    const headers = { "idempotency-key": "one" };
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(platform, message, headers)));
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(responses.every(({ statusCode }) => statusCode === 201)).toBe(true);
    expect(await sent()).toBe(before + 1);
  });

  it("refuses another request with the same key and sends nothing", async () => {
    const before = await sent();
    const response = await send(platform, { ...message, body: "Other" }, { "idempotency-key": "one" });
    expect(response.json()).toMatchObject({ status: 409, code: "CONFLICT", argument: "Idempotency-Key" });
    expect(await sent()).toBe(before);
  });

  it("keeps the keys of each tenant apart, and does not store a refused request", async () => {
    const headers = { "idempotency-key": "one", "x-api-key": keys.lumenOwner };
    expect((await send(platform, { ...message, body: "Other" }, headers)).statusCode).toBe(201);
    const retried = { "idempotency-key": "two" };
    expect((await send(platform, { ...message, to: "x" }, retried)).statusCode).toBe(400);
    expect((await send(platform, message, retried)).statusCode).toBe(201);
  });

  it("forgets a key after 24 hours and not earlier", async () => {
    const headers = { "idempotency-key": "four" };
    const ids: unknown[] = [];
    for (const hours of [0, 23, 25]) {
      vi.useFakeTimers({ now: Date.now() + hours * 3_600_000, toFake: ["Date"] });
      ids.push((await send(platform, message, headers)).json().id);
      vi.useRealTimers();
    }
    expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false]);
  });

  it("sends once with two connections to one file, and after a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sending-"));
    const env = { DATA_FILE: join(folder, "platform.sqlite") };
    const both = [await openPlatform(env), await openPlatform(env)];
    const headers = { "idempotency-key": "three" };
    const responses = await Promise.all(
      both.flatMap((server) => [1, 2, 3].map(() => send(server, message, headers))),
    );
    await Promise.all(both.map((server) => server.close()));
    const restarted = await openPlatform(env);
    responses.push(await send(restarted, message, headers));
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    await restarted.close();
    rmSync(folder, { recursive: true });
  });
});

/** The main job: one round trip across five products, with either credential, in as few REST calls as it can be. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys, type Layer, range, startLayer } from "./layer.ts";

const dashboard = `query Dashboard($from: String!, $to: String!) {
  me { id email tenantId roles permissions features }
  conversations { id status contact { name } assignee { name } }
  agents { id name }
  contacts(q: "an") { id name }
  metrics(from: $from, to: $to) { name total points { date value } }
}`;

let layer: Layer;
beforeAll(async () => {
  layer = await startLayer();
});
afterAll(() => layer.close());

describe("the dashboard query", () => {
  test("answers with the caller's data, the same for both credentials", async () => {
    const { data, errors } = await layer.ask(dashboard, range(29));
    expect(errors).toBeUndefined();
    expect(data.me).toMatchObject({ id: "usr_harbor_olivia", tenantId: "ten_harbor", roles: ["owner"] });
    expect(data.me.permissions).toContain("engage:campaigns:read");
    expect(data.me.features).toEqual(["whatsapp", "flows", "billing"]);
    expect(data.conversations).toHaveLength(50);
    expect(data.conversations[0].contact.name).toEqual(expect.any(String));
    expect(data.conversations.some(({ assignee }: { assignee: unknown }) => assignee !== null)).toBe(true);
    expect(data.agents.length).toBeGreaterThan(0);
    expect(data.contacts.length).toBeGreaterThan(0);
    for (const { points } of data.metrics) expect(points).toHaveLength(30);
    const bearer = { authorization: `Bearer ${keys.owner}` };
    expect(await layer.ask(dashboard, range(29), bearer)).toEqual({ data });
  });

  test("costs one REST call a product field plus one a link", async () => {
    layer.calls.length = 0;
    // a caller of its own, who has stored nothing
    await layer.ask(dashboard, range(29), { "x-api-key": keys.owner, "accept-language": "pt" });
    expect(layer.calls.map((call) => call.split("?")[0]).sort()).toEqual([
      "GET /v1/ai/agents", // agents
      "GET /v1/ai/agents", // assignee
      "GET /v1/crm/contacts", // contacts
      "GET /v1/crm/contacts", // contact
      "GET /v1/identity/me",
      "GET /v1/inbox/conversations",
      "GET /v1/insights/metrics",
    ]);
  });

  test("holds nothing of another tenant", async () => {
    const ids = async (key: string): Promise<string[]> => {
      const { data } = await layer.ask(dashboard, range(29), { "x-api-key": key });
      return [data.me, ...data.conversations, ...data.agents, ...data.contacts].map(({ id }) => id);
    };
    const own = await ids(keys.owner);
    const others = new Set(await ids(keys.otherOwner));
    expect(others.size).toBeGreaterThan(0);
    expect(own.filter((id) => others.has(id))).toEqual([]);
  });
});

describe("sendMessage", () => {
  const send = `mutation Send($c: String!, $t: String!, $b: String!) {
    sendMessage(channel: $c, to: $t, body: $b) { id status }
  }`;

  test("is visible afterwards, in the conversation and in the metrics", async () => {
    const sentToday = async (): Promise<number> => {
      const { data } = await layer.ask(
        `query ($to: String) { metrics(from: $to, to: $to) { name total } }`,
        range(0),
      );
      return data.metrics.find(({ name }: { name: string }) => name === "messages_sent").total;
    };
    const before = await sentToday();
    const { data } = await layer.ask(send, { c: "whatsapp", t: "+12025550143", b: "Hello from a test" });
    expect(data.sendMessage).toEqual({ id: expect.any(String), status: expect.any(String) });
    const { data: after } = await layer.ask(
      "{ conversations { messages(last: 1) { id body } contact { phone } } }",
    );
    expect(after.conversations[0]).toEqual({
      messages: [{ id: data.sendMessage.id, body: "Hello from a test" }],
      contact: { phone: "+12025550143" },
    });
    expect(await sentToday()).toBe(before + 1);
  });

  test("sends once for the same idempotency key, and one for each of two keys", async () => {
    const twice = `mutation ($k: String!, $l: String!) {
      one: sendMessage(channel: "sms", to: "+12025550144", body: "Once", idempotencyKey: $k) { id }
      two: sendMessage(channel: "sms", to: "+12025550144", body: "Once", idempotencyKey: $l) { id }
    }`;
    const same = await layer.ask(twice, { k: "key-1", l: "key-1" });
    expect(same.data.one.id).toBe(same.data.two.id);
    expect((await layer.ask(twice, { k: "key-1", l: "key-1" })).data.one).toEqual(same.data.one);
    const different = await layer.ask(twice, { k: "key-2", l: "key-3" });
    expect(different.data.one.id).not.toBe(different.data.two.id);
  });

  test("refuses another message under a used idempotency key", async () => {
    const say = (body: string) =>
      layer.ask(
        `mutation ($b: String!) { sendMessage(channel: "sms", to: "+12025550145", body: $b, idempotencyKey: "key-4") { id } }`,
        { b: body },
      );
    await say("one");
    expect((await say("another")).errors?.[0]?.extensions.code).toBe("CONFLICT");
  });
});

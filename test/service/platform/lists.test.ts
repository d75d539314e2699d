/** Pages of a list have no gap and no repetition. Ids and filters select items. Batches have a limit per parent. */
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, items, openPlatform, send } from "./fixture.ts";

let platform: FastifyInstance;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

describe.each([
  ["/v1/crm/contacts", 300],
  ["/v1/inbox/conversations", 420],
  ["/v1/ai/agents", 10],
  ["/v1/engage/campaigns", 8],
])("%s", (path, size) => {
  it.each([3, 37, 100])("pages of %i items have no gap and no repetition", async (limit) => {
    const ids: string[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null && pages < 150; pages++) {
      const response = await get(platform, `${path}?limit=${limit}${cursor ? `&cursor=${cursor}` : ""}`);
      const page: { items: { id: string }[]; nextCursor: string | null; hasMore: boolean } = response.json();
      expect(page.hasMore).toBe(page.nextCursor !== null);
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect([ids.length, new Set(ids).size]).toEqual([size, size]);
  });
});

type Listed = { id: string; name: string; createdAt: string; lastMessageAt: string };
type Row = Record<string, unknown>;
type Sorted = { items: Listed[]; nextCursor: string | null; totalCount: number };

describe.each<[url: string, key: (item: Listed) => string, isRising: boolean]>([
  ["/v1/crm/contacts?sort=name", ({ name }) => name, true],
  ["/v1/crm/contacts?sort=newest", ({ createdAt }) => createdAt, false],
  ["/v1/crm/contacts?q=an&sort=newest", ({ createdAt }) => createdAt, false],
  ["/v1/crm/contacts?q=an", ({ name }) => name, true],
  ["/v1/ai/agents?kind=human", ({ name }) => name, true],
  ["/v1/inbox/conversations?status=open&sort=latest-activity", ({ lastMessageAt }) => lastMessageAt, false],
  ["/v1/inbox/conversations?status=open&sort=oldest-activity", ({ lastMessageAt }) => lastMessageAt, true],
  ["/v1/inbox/conversations?channel=sms&sort=newest", ({ createdAt }) => createdAt, false],
])("%s", (url, key, isRising) => {
  it("is in its order across pages, and every page knows how many there are", async () => {
    const all: Listed[] = [];
    const totals = new Set<number>();
    for (let cursor: string | null = ""; cursor !== null; ) {
      const response = await get(platform, `${url}&limit=7${cursor ? `&cursor=${cursor}` : ""}`);
      const page: Sorted = response.json();
      all.push(...page.items);
      totals.add(page.totalCount);
      cursor = page.nextCursor;
    }
    const keys = all.map(key);
    expect(keys).toEqual(isRising ? keys.toSorted() : keys.toSorted().reverse());
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect([...totals]).toEqual([all.length]);
  });
});

it("refuses an order that the document does not name", async () => {
  const response = await get(platform, "/v1/crm/contacts?sort=owner");
  expect(response.json()).toMatchObject({ code: "BAD_USER_INPUT", argument: "sort" });
});

it.each(["😀", '"'])("finds the next page after the longest name of %j", async (character) => {
  const to = [`${character.repeat(244)}@x.example`, `${character.repeat(243)}y@x.example`];
  for (const address of to) await send(platform, { channel: "email", to: address, body: "Hello" });
  const url = `/v1/crm/contacts?limit=1&q=${encodeURIComponent(character.repeat(20))}`;
  const page = (await get(platform, url)).json();
  const next = (await get(platform, `${url}&cursor=${page.nextCursor}`)).json();
  expect([...page.items, ...next.items].map(({ name }) => name)).toEqual(to.sort());
});

it("finds contacts by any part of name, number or company, in any letter case", async () => {
  const found = await items(platform, "/v1/crm/contacts?q=AN&limit=100");
  expect(found.length).toBeGreaterThan(20);
  for (const contact of found) expect(JSON.stringify(contact).toLowerCase()).toContain("an");
  expect(await items(platform, "/v1/crm/contacts?q=%2B12025550142")).toHaveLength(1);
  expect(await items(platform, "/v1/crm/contacts?q=")).toHaveLength(50);
});

it("selects items by ids, leaves out unknown ids, and applies filters", async () => {
  const [one, two] = await items(platform, "/v1/crm/contacts");
  const picked = await items(platform, `/v1/crm/contacts?ids=${two?.id},nobody,${one?.id}`);
  expect(picked).toEqual([one, two]);
  const open = await items(platform, "/v1/inbox/conversations?status=open&limit=100");
  expect(open.length).toBeGreaterThan(0);
  expect(open.every(({ status }) => status === "open")).toBe(true);
  const humans = await items(platform, "/v1/ai/agents?kind=human");
  expect(humans).toHaveLength(7);
});

it.each([
  ["assigned=false", ({ assigneeId }: Row) => assigneeId === null],
  ["assigned=true", ({ assigneeId }: Row) => assigneeId !== null],
  ["priority=urgent", ({ priority }: Row) => priority === "urgent"],
  ["tag=shipping", ({ tags }: Row) => (tags as string[]).includes("shipping")],
])("selects conversations by %s, and no other is left out", async (filter, isWanted) => {
  const path = "/v1/inbox/conversations?limit=100&status=open";
  const found = await items(platform, `${path}&${filter}`);
  const all = await items(platform, path);
  expect(found).toEqual(all.filter(isWanted));
});

it("selects conversations by the days of their latest message, both included", async () => {
  const path = "/v1/inbox/conversations?limit=100";
  const day = String((await items(platform, path))[40]?.lastMessageAt).slice(0, 10);
  const found = await items(platform, `${path}&from=${day}&to=${day}`);
  expect(found.length).toBeGreaterThan(0);
  expect(new Set(found.map(({ lastMessageAt }) => String(lastMessageAt).slice(0, 10)))).toEqual(
    new Set([day]),
  );
});

it("finds conversations by a part of their subject or of their contact's name, whatever the case", async () => {
  const [contact] = await items(platform, "/v1/crm/contacts?q=hannah%20moreau");
  const found = await items(platform, "/v1/inbox/conversations?q=HANNAH%20MOREAU&limit=100");
  expect(found.length).toBeGreaterThan(0);
  expect(new Set(found.map(({ contactId }) => contactId))).toEqual(new Set([contact?.id]));
  const orders = await items(platform, "/v1/inbox/conversations?q=WHERE%20IS%20MY&limit=100");
  expect(orders.map(({ subject }) => subject)).toContain("Where is my order?");
});

it("answers all messages of a conversation in pages, newest first", async () => {
  const conversations = await items(platform, "/v1/inbox/conversations?limit=100");
  const path = (id: unknown) => `/v1/inbox/conversations/${id}/messages`;
  const sizes = await Promise.all(
    conversations.map(async ({ id }) => (await get(platform, path(id))).json().totalCount as number),
  );
  const longest = sizes.indexOf(Math.max(...sizes));
  const all = await items(platform, path(conversations[longest]?.id));
  expect([all.length, all.length > 4]).toEqual([sizes[longest], true]);
  const written = all.map(({ createdAt }) => String(createdAt));
  expect(written).toEqual(written.toSorted().reverse());
  const first = (await get(platform, `${path(conversations[longest]?.id)}?limit=3`)).json();
  const rest = await items(platform, `${path(conversations[longest]?.id)}?cursor=${first.nextCursor}`);
  expect([...first.items, ...rest]).toEqual(all);
  expect((await get(platform, path("cnv_nobody"))).statusCode).toBe(404);
});

it("answers the latest messages of each conversation, newest first", async () => {
  const conversations = await items(platform, "/v1/inbox/conversations?limit=100");
  const ids = conversations.map(({ id }) => id).join(",");
  const messages = await items(platform, `/v1/inbox/messages?conversationIds=${ids}&limitPerConversation=2`);
  for (const { id, lastMessageAt } of conversations) {
    const own = messages.filter(({ conversationId }) => conversationId === id);
    expect(own[0]?.createdAt).toBe(lastMessageAt);
    expect(own.length).toBeLessThanOrEqual(2);
    if (own[1]) expect(String(own[0]?.createdAt) > String(own[1].createdAt)).toBe(true);
  }
});

it("answers the latest conversations of each contact", async () => {
  const conversations = await items(platform, "/v1/inbox/conversations?limit=100");
  const contactIds = [...new Set(conversations.map(({ contactId }) => contactId))];
  const path = "/v1/inbox/conversations-by-contact";
  const found = await items(platform, `${path}?contactIds=${contactIds.join(",")}&limitPerContact=1`);
  expect(found.map(({ contactId }) => contactId).sort()).toEqual([...contactIds].sort());
  const latest = conversations.find(({ contactId }) => contactId === contactIds[0]);
  expect(found.find(({ contactId }) => contactId === contactIds[0])).toEqual(latest);
});

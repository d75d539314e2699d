/**
 * Tenant isolation, proved statement by statement: with another tenant present that has the very same ids, a tenant
 * reads what it reads alone and changes nothing of the other's; and a tenant that has nothing finds nothing.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type StatementName, statements, unscoped } from "../../src/platform/statements.ts";
import { openStore, type Row, type Store, type TenantStore } from "../../src/platform/store.ts";
import { first, get, keys, openPlatform, send } from "./fixture.ts";

const at = "2026-05-05T10:00:00.000Z";
const page = { ids: null, afterKey: null, afterId: null, limit: 10 };
const range = { from: "2026-05-01", until: "2026-06-01" };

/** Rows whose ids are the same for every tenant; `mark` is in everything else. */
const inserts = (mark: string) =>
  ({
    insertTenant: { name: mark, features: JSON.stringify([mark]), demo: mark === "ten_b" ? 1 : 0 },
    insertRole: { name: "owner", permissions: JSON.stringify([mark]) },
    insertUser: { id: "usr", email: mark, roles: '["owner"]', teams: JSON.stringify([mark]) },
    insertKey: {
      id: "key",
      user: "usr",
      digest: mark,
      scopes: JSON.stringify([mark]),
      createdAt: at,
      expiresAt: null,
    },
    insertAgent: {
      id: "agt",
      name: mark,
      kind: "ai",
      availability: mark,
      email: mark,
      skills: "[]",
      createdAt: at,
    },
    insertContact: {
      id: "ctc",
      name: mark,
      email: "a@b.example",
      phoneNumber: "+1",
      company: mark,
      stage: "customer",
      ownerId: "agt",
      tags: "[]",
      createdAt: at,
      lastSeenAt: at,
    },
    insertConversation: {
      id: "cnv",
      subject: mark,
      status: "open",
      priority: mark,
      channel: "sms",
      contactId: "ctc",
      assigneeId: "agt",
      unreadCount: 1,
      tags: "[]",
      createdAt: at,
      lastMessageAt: at,
    },
    insertMessage: {
      id: "msg",
      conversationId: "cnv",
      contactId: "ctc",
      channel: "sms",
      direction: "outbound",
      status: "sent",
      to: mark,
      body: mark,
      authorType: "agent",
      authorId: `agt-${mark}`,
      createdAt: at,
      deliveredAt: null,
    },
    insertCampaign: { id: "cmp", name: mark, channel: "sms", status: mark, audienceSize: 1, startsAt: at },
    insertIdempotencyKey: { user: "usr", key: "idem", requestDigest: mark, response: mark, now: at },
  }) satisfies Partial<Record<StatementName, Record<string, string | number | null>>>;

/** For every other statement values that hit: the test below demands that each finds or changes something. */
const others: Record<
  Exclude<StatementName, keyof ReturnType<typeof inserts>>,
  Record<string, string | number | null>
> = {
  tenantExists: {},
  userById: { id: "usr" },
  profileById: { id: "usr" },
  keys: {},
  revokeKey: { id: "key", now: at },
  conversationById: { id: "cnv" },
  conversationPage: { ...page, ids: '["cnv"]', status: "open", channel: "sms", assignee: "agt" },
  conversationsOfContacts: { contactIds: '["ctc"]', limit: 5 },
  messageById: { id: "msg" },
  messagesOfConversations: { conversationIds: '["cnv"]', limit: 5 },
  contactById: { id: "ctc" },
  contactPage: { ...page, stage: null, q: "%%" },
  agentById: { id: "agt" },
  agentPage: { ...page, kind: "ai" },
  campaignPage: { afterKey: null, afterId: null, limit: 10 },
  contactIdByPhone: { to: "+1" },
  contactIdByEmail: { to: "A@b.example" },
  contactIdById: { to: "ctc" },
  openConversationId: { contactId: "ctc", channel: "sms" },
  answerConversation: { id: "cnv", now: at },
  forgetIdempotencyKeys: { before: "2027" },
  idempotencyKey: { user: "usr", key: "idem" },
  metricPoints: range,
  metricTotals: range,
};

const names = Object.keys(statements) as StatementName[];
const isWrite = (name: StatementName): boolean => !/^\s*(SELECT|WITH)/.test(statements[name]);

const folder = mkdtempSync(join(tmpdir(), "isolation-"));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true }));

function openWith(...tenants: string[]): { store: Store; file: string } {
  const file = join(folder, `${files++}.sqlite`);
  const store = openStore(file);
  store.transaction(() => {
    for (const tenant of tenants) fill(store.tenant(tenant));
  });
  return { store, file };
}

/** Two rows more for the first response time; the other tenant's times are earlier, and it has one more day. */
function fill(store: TenantStore): void {
  const [isOther, hour] = [store.tenantId === "ten_b", "2026-05-05T09"];
  const rows = inserts(store.tenantId);
  const createdAt = isOther ? `${hour}:30:00.000Z` : at;
  const values = { ...rows, insertMessage: { ...rows.insertMessage, createdAt } };
  for (const [name, row] of Object.entries(values)) store.run(name as StatementName, row);
  const asked = { id: "asked", direction: "inbound", authorType: "contact" };
  store.run("insertMessage", {
    ...rows.insertMessage,
    ...asked,
    createdAt: isOther ? `${hour}:00:00.000Z` : `${hour}:10:00.000Z`,
  });
  if (isOther)
    store.run("insertConversation", { ...rows.insertConversation, id: "more", createdAt: "2026-05-06T09" });
}

/** Runs any statement; `insert…` as another row, for its own row is there. */
function runAny(store: TenantStore, name: StatementName): Row[] | number {
  if (name in others) {
    const values = others[name as keyof typeof others];
    return isWrite(name) ? store.run(name, values) : store.all(name, values);
  }
  const values: Record<string, string | number | null> = inserts(store.tenantId)[
    name as keyof ReturnType<typeof inserts>
  ];
  return store.run(name, values);
}

/** Every row that belongs to the tenant, of every table. */
function dump(file: string, tenant: string): unknown {
  const database = new DatabaseSync(file);
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  const rows = tables.map(({ name }) =>
    database.prepare(`SELECT * FROM ${name} WHERE tenant_id = ?`).all(tenant),
  );
  database.close();
  return rows;
}

describe.each(names)("%s", (name) => {
  it("is bound to the tenant", () => {
    expect(statements[name]).toContain(":tenant");
  });

  it("reads and changes as if the other tenant were not there, and finds something", () => {
    const wantsEmpty = name.startsWith("insert");
    const alone = wantsEmpty ? openWith() : openWith("ten_a");
    const shared = wantsEmpty ? openWith("ten_b") : openWith("ten_a", "ten_b");
    const before = dump(shared.file, "ten_b");
    const expected = runAny(alone.store.tenant("ten_a"), name);
    const actual = runAny(shared.store.tenant("ten_a"), name);
    expect(actual).toEqual(expected);
    expect(JSON.stringify(actual)).not.toContain("ten_b");
    expect(typeof actual === "number" ? actual : actual.length).toBeGreaterThan(0);
    expect(dump(shared.file, "ten_a")).toEqual(dump(alone.file, "ten_a"));
    expect(dump(shared.file, "ten_b")).toEqual(before);
    for (const { store } of [alone, shared]) store.close();
  });

  it.skipIf(name.startsWith("insert"))("finds nothing for a tenant that has nothing", () => {
    const { store, file } = openWith("ten_a");
    const before = dump(file, "ten_a");
    const result = runAny(store.tenant("ten_b"), name);
    const values = typeof result === "number" ? result : result.map((row) => row.value ?? row.id ?? 0);
    expect([values].flat().filter(Boolean)).toEqual([]);
    expect(dump(file, "ten_a")).toEqual(before);
    store.close();
  });
});

it("has no statement without a tenant but the two that run before one is known", () => {
  expect(Object.keys(unscoped)).toEqual(["keyByDigest", "anyTenant"]);
  const { store } = openWith("ten_a", "ten_b");
  for (const [tenantId, demo] of [
    ["ten_a", 0],
    ["ten_b", 1],
  ] as const) {
    expect(store.unscoped("keyByDigest", { digest: tenantId })).toMatchObject({ tenantId, demo });
  }
  store.close();
});

describe("over HTTP", () => {
  let platform: FastifyInstance;
  beforeAll(async () => {
    platform = await openPlatform();
  });
  afterAll(() => platform.close());

  it.each([
    ["/v1/crm/contacts", "/v1/crm/contacts/"],
    ["/v1/ai/agents", "/v1/ai/agents/"],
    ["/v1/inbox/conversations", "/v1/inbox/conversations/"],
  ])("answers another tenant's id of %s exactly as an unknown id", async (list, path) => {
    const { id } = await first(platform, list, keys.lumenOwner);
    expect((await get(platform, path + id, keys.lumenOwner)).statusCode).toBe(200);
    const [foreign, unknown] = [
      await get(platform, path + id),
      await get(platform, `${path}${id.slice(0, 4)}NoSuchIdHere`),
    ];
    expect([foreign.statusCode, foreign.body]).toEqual([404, unknown.body]);
    expect((await get(platform, `${list}?ids=${id}`)).json().items).toEqual([]);
  });

  it("gives nothing of another tenant's conversations and contacts by batch, and sends nothing to them", async () => {
    const { id, contactId } = await first(platform, "/v1/inbox/conversations", keys.lumenOwner);
    const messages = `/v1/inbox/messages?conversationIds=${id}`;
    const { id: messageId } = await first(platform, messages, keys.lumenOwner);
    expect((await get(platform, messages)).json()).toEqual({ items: [] });
    expect((await get(platform, `/v1/messages/${messageId}`)).statusCode).toBe(404);
    const byContact = await get(platform, `/v1/inbox/conversations-by-contact?contactIds=${contactId}`);
    expect(byContact.json()).toEqual({ items: [] });
    const sent = await send(platform, { channel: "webchat", to: contactId, body: "Hello" });
    const unknown = await send(platform, { channel: "webchat", to: "ctc_NoSuchIdHere", body: "Hello" });
    expect([sent.statusCode, sent.body]).toEqual([400, unknown.body]);
  });
});

/**
 * Data of the isolation test: the rows of two tenants with the same ids, and for each statement values that match these
 * rows.
 */
import { type StatementName, statements } from "../../../src/platform/store/statements.ts";
import type { Row, TenantStore } from "../../../src/platform/store/store.ts";

const at = "2026-05-05T10:00:00.000Z";
const page = { ids: null, afterKey: null, afterId: null, limit: 10 };
const range = { from: "2026-05-01", until: "2026-06-01" };

/** Rows with the same ids for every tenant. `mark` is in the other columns. */
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
    insertUnpublishedRevocation: { id: "key" },
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

const conversationFilters = {
  ...{ ids: '["cnv"]', status: "open", channel: "sms", assignee: "agt", assigned: 1, q: "TEN_" },
  ...{ priority: null, tag: null, from: "2026-05-05", to: "2026-05-05" },
};

/** Matching values for every other statement. The test requires that each statement finds or changes a row. */
const others: Record<
  Exclude<StatementName, keyof ReturnType<typeof inserts>>,
  Record<string, string | number | null>
> = {
  tenantExists: {},
  userById: { id: "usr" },
  profileById: { id: "usr" },
  keys: {},
  revokeKey: { id: "key", now: at },
  removeUnpublishedRevocation: { id: "key" },
  conversationById: { id: "cnv" },
  conversationPage: { ...page, ...conversationFilters },
  conversationPageFromOldest: { ...page, ...conversationFilters },
  conversationPageByStart: { ...page, ...conversationFilters },
  conversationCount: conversationFilters,
  conversationsOfContacts: { contactIds: '["ctc"]', limit: 5 },
  messageById: { id: "msg" },
  messagePage: { conversationId: "cnv", afterKey: null, afterId: null, limit: 10 },
  messageCount: { conversationId: "cnv" },
  messagesOfConversations: { conversationIds: '["cnv"]', limit: 5 },
  contactById: { id: "ctc" },
  contactPage: { ...page, stage: null, q: "" },
  contactPageByStart: { ...page, stage: null, q: "" },
  contactCount: { ids: null, stage: null, q: "" },
  agentById: { id: "agt" },
  agentPage: { ...page, kind: "ai" },
  agentCount: { ids: null, kind: "ai" },
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

/** Inserts all rows and an inbound message. The other tenant has earlier times and one more day. */
export function fill(store: TenantStore): void {
  const isOther = store.tenantId === "ten_b";
  const hour = "2026-05-05T09";
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

/** Runs any statement. An insert has the values of `inserts` for this tenant. */
export function runAny(store: TenantStore, name: StatementName): Row[] | number {
  if (name in others) {
    const values = others[name as keyof typeof others];
    return isWrite(name) ? store.run(name, values) : store.all(name, values);
  }
  const values: Record<string, string | number | null> = inserts(store.tenantId)[
    name as keyof ReturnType<typeof inserts>
  ];
  return store.run(name, values);
}

const isWrite = (name: StatementName): boolean => !/^\s*(SELECT|WITH)/.test(statements[name]);

/**
 * A store with many tenants whose rows share their ids: contact `ctc_1` exists in each of them, and only its name
 * says whose it is. An answer that crosses over therefore looks right by its ids and wrong by its names.
 */
import { createKey } from "../../../src/platform/keys/keys.ts";
import { openStore, type TenantStore } from "../../../src/platform/store/store.ts";

export type Tenant = { id: string; key: string };

const permissions = [
  "ai:agents:read",
  "crm:contacts:read",
  "inbox:conversations:read",
  "inbox:messages:read",
  "messaging:messages:send",
];
const now = new Date("2026-11-01T00:00:00Z");
export const rows = 6;

/** Fills `file`; each name and text of a tenant begins with the tenant's id and a slash. */
export function makeTenants(file: string, count: number): Tenant[] {
  const store = openStore(file);
  const tenants = store.transaction(() =>
    Array.from({ length: count }, (_, index) => {
      const id = `ten_${String(index).padStart(2, "0")}`;
      return { id, key: fill(store.tenant(id)) };
    }),
  );
  store.close();
  return tenants;
}

function fill(store: TenantStore): string {
  const own = (text: string): string => `${store.tenantId}/${text}`;
  const createdAt = now.toISOString();
  store.run("insertTenant", { name: own("tenant"), features: "[]", demo: 0 });
  store.run("insertRole", { name: "owner", permissions: JSON.stringify(permissions) });
  const user = { id: `usr_${store.tenantId}`, email: `${store.tenantId}@mail.example` };
  store.run("insertUser", { ...user, roles: '["owner"]', teams: "[]" });
  for (let index = 1; index <= rows; index++) fillRow(store, index, own, createdAt);
  const key = { environment: "test", userId: user.id, scopes: ["*"], expiresAt: null } as const;
  return createKey(store, key, now).secret;
}

function fillRow(store: TenantStore, index: number, own: (text: string) => string, createdAt: string): void {
  const contactId = `ctc_${index}`;
  const assigneeId = `agt_${index}`;
  const conversationId = `cnv_${index}`;
  store.run("insertAgent", {
    ...{ id: assigneeId, name: own(`agent ${index}`), kind: "human", availability: "online" },
    ...{ email: null, skills: "[]", createdAt },
  });
  store.run("insertContact", {
    ...{ id: contactId, name: own(`contact ${index}`), email: null, phoneNumber: null, company: null },
    ...{ stage: "customer", ownerId: assigneeId, tags: "[]", createdAt, lastSeenAt: null },
  });
  store.run("insertConversation", {
    ...{ id: conversationId, subject: own(`conversation ${index}`), status: "open", priority: "normal" },
    ...{
      channel: "sms",
      contactId,
      assigneeId,
      unreadCount: 0,
      tags: "[]",
      createdAt,
      lastMessageAt: createdAt,
    },
  });
  store.run("insertMessage", {
    ...{
      id: `msg_${index}`,
      conversationId,
      contactId,
      channel: "sms",
      direction: "inbound",
      status: "received",
    },
    ...{ to: "sms-inbox", body: own(`message ${index}`), authorType: "contact", authorId: contactId },
    ...{ createdAt, deliveredAt: null },
  });
}

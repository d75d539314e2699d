/** The workloads of `npm run bench -- peers` on this project's own schema, and the REST answers that they are made of. */

import { contextOf } from "../../engine/gateway/fakes.ts";

const at = (day: number): string => `2026-11-${String((day % 28) + 1).padStart(2, "0")}T08:00:00Z`;
const contact = (n: number) => ({
  id: `con_${n}`,
  name: `Contact ${n}`,
  email: `contact${n}@example.com`,
  phoneNumber: "+12025550143",
  company: "Example",
  stage: "customer",
  ownerId: `agt_${n % 10}`,
  tags: ["a", "b"],
  createdAt: at(n),
  lastSeenAt: at(n + 1),
});
const agent = (n: number) => ({
  id: `agt_${n}`,
  name: `Agent ${n}`,
  kind: "ai",
  availability: "online",
  email: `agent${n}@example.com`,
  skills: ["returns", "orders"],
  createdAt: at(n),
});
const conversation = (n: number) => ({
  id: `cnv_${n}`,
  subject: `Order ${n}: when does it come?`,
  status: "open",
  channel: "whatsapp",
  contactId: `con_${n}`,
  assigneeId: `agt_${n % 10}`,
  participantIds: [],
  priority: "normal",
  tags: ["vip"],
  unreadCount: n % 3,
  createdAt: at(n),
  lastMessageAt: at(n + 1),
});
const me = {
  id: "usr_1",
  email: "ana@example.com",
  tenantId: "ten_1",
  roles: ["admin", "agent"],
  permissions: ["inbox:conversations:read", "crm:contacts:read"],
  features: ["whatsapp"],
};
const metric = (name: string) => ({
  name,
  label: name,
  unit: "count",
  total: 1_234.5,
  points: Array.from({ length: 28 }, (_, n) => ({ date: at(n).slice(0, 10), value: n * 1.5 })),
});
const list = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const page = (items: unknown[]): string => JSON.stringify({ items, nextCursor: null, hasMore: false });

/** A path's answer, whatever is asked of it; all workloads ask for what is there. */
export const answers: Readonly<Record<string, string>> = {
  "/internal/keys/introspect": JSON.stringify(contextOf("bench")),
  "/v1/identity/me": JSON.stringify(me),
  "/v1/inbox/conversations": page(list(50, conversation)),
  "/v1/ai/agents": page(list(10, agent)),
  "/v1/crm/contacts": page(list(50, contact)),
  "/v1/insights/metrics": JSON.stringify({ items: ["messages", "replies", "sales"].map(metric) }),
};

export const workloads = {
  me: "{ me { id email tenantId roles permissions features } }",
  dashboard: `{
    me { id email tenantId roles permissions features }
    conversations { id channel subject unreadCount tags createdAt lastMessageAt }
    agents { id name email skills }
    contacts(q: "a") { id name email company tags createdAt }
    metrics(from: "2026-11-01", to: "2026-11-28") { name total points { date value } }
  }`,
  /** One property of a large response. */
  ids: "{ conversations { id } }",
  nested: "{ conversations { id subject contact { id name } assignee { id name } } }",
} as const;

export type Workload = keyof typeof workloads;

/** The request body of a workload. */
export const bodyOf = (name: Workload): string => JSON.stringify({ query: workloads[name] });

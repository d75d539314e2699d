/**
 * The floor of `npm run bench -- peers`: bare node:http and undici, the same REST calls, projections written by hand, and no
 * GraphQL at all. What stands between it and a server is what that server costs.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { byKey, type Conversation, type Get, items, overUndici } from "./rest.ts";

const getOf = overUndici();
type Item = Record<string, unknown>;

const profile = ({ id, email, tenantId, roles, permissions, features }: Item): Item => ({
  id,
  email,
  tenantId,
  roles,
  permissions,
  features,
});

async function dashboard(get: Get): Promise<object> {
  const [me, conversations, agents, contacts, metrics] = await Promise.all([
    get<Item>("/v1/identity/me"),
    items<Item>(get, "/v1/inbox/conversations"),
    items<Item>(get, "/v1/ai/agents"),
    items<Item>(get, "/v1/crm/contacts?q=a"),
    items<Item & { points: Item[] }>(get, "/v1/insights/metrics?from=2026-11-01&to=2026-11-28"),
  ]);
  return {
    me: profile(me),
    conversations: conversations.map(
      ({ id, channel, subject, unreadCount, tags, createdAt, lastMessageAt }) => ({
        id,
        channel,
        subject,
        unreadCount,
        tags,
        createdAt,
        lastMessageAt,
      }),
    ),
    agents: agents.map(({ id, name, email, skills }) => ({ id, name, email, skills })),
    contacts: contacts.map(({ id, name, email, company, tags, createdAt }) => ({
      id,
      name,
      email,
      company,
      tags,
      createdAt,
    })),
    metrics: metrics.map(({ name, total, points }) => ({
      name,
      total,
      points: points.map(({ date, value }) => ({ date, value })),
    })),
  };
}

async function ids(get: Get): Promise<object> {
  const conversations = await items<Conversation>(get, "/v1/inbox/conversations");
  return { conversations: conversations.map(({ id }) => ({ id })) };
}

async function nested(get: Get): Promise<object> {
  const conversations = await items<Conversation>(get, "/v1/inbox/conversations");
  const [contacts, agents] = await Promise.all([
    byKey(
      get,
      "/v1/crm/contacts",
      conversations.map(({ contactId }) => contactId),
    ),
    byKey(
      get,
      "/v1/ai/agents",
      conversations.map(({ assigneeId }) => assigneeId),
    ),
  ]);
  const named = (item: { id: string; name: string } | undefined) => item && { id: item.id, name: item.name };
  return {
    conversations: conversations.map(({ id, subject, contactId, assigneeId }) => ({
      id,
      subject,
      contact: named(contacts.get(contactId)),
      assignee: named(agents.get(assigneeId)),
    })),
  };
}

async function run(query: string, get: Get): Promise<object> {
  if (query.includes("metrics")) return dashboard(get);
  if (query.includes("assignee")) return nested(get);
  if (query.includes("conversations")) return ids(get);
  return { me: profile(await get<Item>("/v1/identity/me")) };
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", async () => {
    try {
      const { query } = JSON.parse(Buffer.concat(chunks).toString()) as { query: string };
      const body = JSON.stringify({ data: await run(query, getOf(request.headers)) });
      const head = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      response.writeHead(200, head).end(body);
    } catch {
      response.writeHead(502).end();
    }
  });
}).listen(0, "127.0.0.1", () => {
  process.stdout.write(`ready on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

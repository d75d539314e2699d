/**
 * A REST platform whose lists are as large as its document allows: 100 conversations, 20 messages of 4,096 characters
 * each. Every answer is there already, and takes the milliseconds that a real one would.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";

const delayMs = 5;
const at = "2026-11-21T00:00:00Z";
const contact = (id: number) => ({
  ...{ id: `con_${id}`, name: `Contact ${id}`, email: `contact${id}@example.com`, phoneNumber: null },
  ...{ company: "x".repeat(100), stage: "customer", ownerId: null, tags: ["a", "b"], createdAt: at },
  lastSeenAt: null,
});
const conversation = (id: number) => ({
  ...{ id: `cnv_${id}`, subject: "x".repeat(100), status: "open", channel: "sms", contactId: `con_${id}` },
  ...{ assigneeId: null, participantIds: [], priority: "normal", tags: [], unreadCount: 1, createdAt: at },
  lastMessageAt: at,
});
const message = (id: number) => ({
  ...{ id: `msg_${id}`, channel: "sms", direction: "inbound", status: "received", to: "a", createdAt: at },
  body: "x".repeat(4_096),
  conversationId: `cnv_${id % 100}`,
  ...{ author: { type: "contact", contactId: `con_${id % 100}` }, deliveredAt: null },
});
const list = <T>(count: number, make: (id: number) => T): Buffer =>
  Buffer.from(
    JSON.stringify({
      items: Array.from({ length: count }, (_, id) => make(id)),
      nextCursor: null,
      hasMore: false,
    }),
  );
const me = { id: "1", email: "a@b.example", tenantId: "t", roles: [], permissions: [], features: [] };
const conversationsOfContacts = list(2_000, (id) => ({ ...conversation(id), contactId: `con_${id % 100}` }));
const answers: [RegExp, Buffer][] = [
  [/\/me$/, Buffer.from(JSON.stringify(me))],
  [/\/messages\?/, list(2_000, message)],
  [/\/conversations.*contactIds=/, conversationsOfContacts],
  [/\/conversations/, list(100, conversation)],
  [/\/contacts/, list(100, contact)],
];

const server = createServer(({ url = "" }, response) => {
  const body = answers.find(([path]) => path.test(url))?.[1] ?? answers[0]?.[1] ?? Buffer.of();
  const head = { "content-type": "application/json", "content-length": body.length };
  setTimeout(() => response.writeHead(200, head).end(body), delayMs);
}).listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));

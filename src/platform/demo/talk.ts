/** Creates the conversations of a demo tenant and their messages. */

import type { TenantStore } from "../store/store.ts";
import type { Random } from "./random.ts";
import { tags, topics } from "./text.ts";

export const days = 90;
export const dayMs = 86_400_000;
const minuteMs = 60_000;

export const iso = (ms: number): string => new Date(ms).toISOString();

export type Person = { id: string; name: string; phoneNumber: string; email: string | null };
/** `agents`: the ids of the tenant's agents. `now`: the time at which the demo data ends (ms). */
export type Setting = { readonly agents: readonly string[]; readonly now: number };
type DemoMessage = { at: number; direction: "inbound" | "outbound"; agent: string; body: string };

/** Stores a conversation of the contact with its messages. Returns the time (ms) of the last message from the contact. */
export function insertConversation(
  store: TenantStore,
  random: Random,
  person: Person,
  { agents, now }: Setting,
): number {
  const topic = random.pick(topics);
  const talk = makeTalk(random, agents, topic, now);
  const channel = random.pick([
    "whatsapp",
    "whatsapp",
    "whatsapp",
    "sms",
    "webchat",
    person.email ? "email" : "sms",
  ]);
  const id = random.id("cnv");
  const last = talk.at(-1)?.at ?? now;
  const unreadCount = talk.length - 1 - talk.findLastIndex(({ direction }) => direction === "outbound");
  const answer = talk.find(({ direction }) => direction === "outbound");
  const isOld = now - last > 3 * dayMs;
  store.run("insertConversation", {
    id,
    subject: channel === "email" || random.chance(0.5) ? topic.subject : null,
    status: isOld
      ? random.pick(["closed", "closed", "closed", "snoozed"])
      : unreadCount > 0
        ? "open"
        : "pending",
    priority: random.pick(["low", "normal", "normal", "normal", "high", "urgent"]),
    channel,
    contactId: person.id,
    assigneeId: isOld || random.chance(0.7) ? (answer?.agent ?? null) : null,
    unreadCount,
    tags: JSON.stringify(random.chance(0.3) ? [random.pick(tags)] : []),
    createdAt: iso(talk[0]?.at ?? now),
    lastMessageAt: iso(last),
  });
  for (const message of talk)
    insertMessage(store, random, { ...person, channel, conversationId: id, now }, message);
  return talk.findLast(({ direction }) => direction === "inbound")?.at ?? last;
}

/** The messages of one conversation. The contact begins within the last 90 days, and the last message is before `now`. */
function makeTalk(
  random: Random,
  agents: readonly string[],
  topic: (typeof topics)[number],
  now: number,
): DemoMessage[] {
  const agent = random.pick(agents);
  let at = now - Math.floor(random.next() * days * dayMs) - minuteMs;
  const talk: DemoMessage[] = [{ at, direction: "inbound", agent, body: topic.opening }];
  for (let more = random.integer(0, 12); more > 0; more--) {
    const last = talk.at(-1);
    const isAnswer = last?.direction === "inbound" && random.chance(0.85);
    const direction = isAnswer || random.chance(0.3) ? "outbound" : "inbound";
    at += random.integer(20, 90 * 60) * 1000;
    if (at > now) break;
    const body = random.pick(direction === "inbound" ? topic.questions : topic.answers);
    talk.push({ at, direction, agent: random.chance(0.9) ? agent : random.pick(agents), body });
  }
  return talk;
}

type Envelope = Person & { channel: string; conversationId: string; now: number };

function insertMessage(store: TenantStore, random: Random, envelope: Envelope, message: DemoMessage): void {
  const { id: contactId, channel, conversationId, phoneNumber, email, now } = envelope;
  const isInbound = message.direction === "inbound";
  const address = channel === "email" ? email : channel === "webchat" ? contactId : phoneNumber;
  const outcome = random.chance(0.02)
    ? "failed"
    : random.pick(["read", "read", "read", "delivered", "delivered", "sent"]);
  const status = isInbound ? "received" : outcome;
  const isDelivered = ["received", "read", "delivered"].includes(status);
  store.run("insertMessage", {
    id: random.id("msg"),
    conversationId,
    contactId,
    channel,
    direction: message.direction,
    status,
    to: isInbound ? `${channel}-inbox` : (address ?? contactId),
    body: message.body,
    authorType: isInbound ? "contact" : "agent",
    authorId: isInbound ? contactId : message.agent,
    createdAt: iso(message.at),
    deliveredAt: isDelivered ? iso(Math.min(message.at + random.integer(1, 20) * 1000, now)) : null,
  });
}

/**
 * Believable data of one tenant over the 90 days before now: agents, contacts, conversations with their messages,
 * campaigns. The same seed gives the same data, shifted to end now; it goes through the platform's own statements.
 */
import {
  agentNames,
  campaignNames,
  companies,
  firstNames,
  lastNames,
  skills,
  tags,
  topics,
} from "./demo-text.ts";
import type { Random } from "./random.ts";
import type { TenantStore } from "./store.ts";

const days = 90;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const counts = { contacts: 300, conversations: 420, campaigns: 8 };

type Person = { id: string; phoneNumber: string; email: string; ownerId: string | null };
type Talk = { at: number; direction: "inbound" | "outbound"; agent: string; body: string };

export function fillTenant(store: TenantStore, random: Random, domain: string, now: Date): void {
  const agents = insertAgents(store, random, domain, now);
  const people = Array.from({ length: counts.contacts }, (_, index) => makePerson(random, agents, index));
  const lastSeen = new Map<string, number>();
  for (let left = counts.conversations; left > 0; left--) {
    const person = random.pick(people as [Person, ...Person[]]);
    const seen = insertConversation(store, random, person, agents, now.getTime());
    lastSeen.set(person.id, Math.max(seen, lastSeen.get(person.id) ?? 0));
  }
  for (const person of people) insertContact(store, random, person, lastSeen.get(person.id), now.getTime());
  insertCampaigns(store, random, now.getTime());
}

const iso = (ms: number): string => new Date(ms).toISOString();

function insertAgents(store: TenantStore, random: Random, domain: string, now: Date): [string, ...string[]] {
  const ids: string[] = [];
  for (const kind of ["ai", "human"] as const) {
    for (const name of agentNames[kind]) {
      const id = random.id("agt");
      const email = kind === "ai" ? null : `${name.split(" ")[0]?.toLowerCase()}@${domain}`;
      const availability = kind === "ai" ? "online" : random.pick(["online", "online", "away", "offline"]);
      const learnt = JSON.stringify([...new Set([random.pick(skills), random.pick(skills)])]);
      const createdAt = iso(now.getTime() - random.integer(days, 400) * dayMs);
      store.run("insertAgent", { id, name, kind, availability, email, skills: learnt, createdAt });
      ids.push(id);
    }
  }
  return ids as [string, ...string[]];
}

function makePerson(random: Random, agents: [string, ...string[]], index: number): Person {
  const area = 202 + Math.floor(index / 100); // +1 NPA 555-01XX is kept for fiction
  return {
    id: random.id("ctc"),
    phoneNumber: `+1${area}55501${String(index % 100).padStart(2, "0")}`,
    email: `contact${index + 1}@mail.example`,
    ownerId: random.chance(0.6) ? random.pick(agents) : null,
  };
}

function insertContact(
  store: TenantStore,
  random: Random,
  person: Person,
  seen: number | undefined,
  now: number,
): void {
  const [first, last] = [random.pick(firstNames), random.pick(lastNames)];
  store.run("insertContact", {
    ...person,
    name: `${first} ${last}`,
    email: random.chance(0.85)
      ? `${first}.${last}.${person.email}`.toLowerCase().replace(".contact", "")
      : null,
    company: random.chance(0.4) ? random.pick(companies) : null,
    stage: random.pick(["new-lead", "qualified", "customer", "customer", "former-customer"]),
    tags: JSON.stringify(random.chance(0.3) ? [random.pick(tags)] : []),
    createdAt: iso(now - random.integer(days, 500) * dayMs),
    lastSeenAt: seen === undefined ? null : iso(seen),
  });
}

/** Answers when the contact last wrote. */
function insertConversation(
  store: TenantStore,
  random: Random,
  person: Person,
  agents: [string, ...string[]],
  now: number,
): number {
  const topic = random.pick(topics);
  const talk = makeTalk(random, agents, topic, now);
  const channel = random.pick(["whatsapp", "whatsapp", "whatsapp", "sms", "email", "webchat"]);
  const id = random.id("cnv");
  const last = talk.at(-1)?.at ?? now;
  const unreadCount = talk.length - 1 - talk.findLastIndex(({ direction }) => direction === "outbound");
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
    assigneeId:
      isOld || random.chance(0.7)
        ? (talk.find(({ direction }) => direction === "outbound")?.agent ?? null)
        : null,
    unreadCount,
    tags: JSON.stringify(random.chance(0.3) ? [random.pick(tags)] : []),
    createdAt: iso(talk[0]?.at ?? now),
    lastMessageAt: iso(last),
  });
  for (const message of talk)
    insertMessage(store, random, { ...person, channel, conversationId: id }, message, now);
  return talk.findLast(({ direction }) => direction === "inbound")?.at ?? last;
}

/** A talk that begins with the contact, some time in the last 90 days, more often by day than by night. */
function makeTalk(
  random: Random,
  agents: [string, ...string[]],
  topic: (typeof topics)[number],
  now: number,
): Talk[] {
  const agent = random.pick(agents);
  let at = now - Math.floor(random.next() * days * dayMs) - minuteMs;
  const talk: Talk[] = [{ at, direction: "inbound", agent, body: topic.questions[0] }];
  for (let more = random.integer(0, 12); more > 0; more--) {
    const last = talk.at(-1);
    const direction =
      last?.direction === "inbound" && random.chance(0.85)
        ? "outbound"
        : random.chance(0.7)
          ? "inbound"
          : "outbound";
    at += random.integer(20, 90 * 60) * 1000;
    if (at > now) break;
    const body = random.pick(direction === "inbound" ? topic.questions : topic.answers);
    talk.push({ at, direction, agent: random.chance(0.9) ? agent : random.pick(agents), body });
  }
  return talk;
}

type Envelope = Person & { channel: string; conversationId: string };

function insertMessage(
  store: TenantStore,
  random: Random,
  envelope: Envelope,
  message: Talk,
  now: number,
): void {
  const { id: contactId, channel, conversationId, phoneNumber, email } = envelope;
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
    to: isInbound ? `${channel}-inbox` : address,
    body: message.body,
    authorType: isInbound ? "contact" : "agent",
    authorId: isInbound ? contactId : message.agent,
    createdAt: iso(message.at),
    deliveredAt: isDelivered ? iso(Math.min(message.at + random.integer(1, 20) * 1000, now)) : null,
  });
}

function insertCampaigns(store: TenantStore, random: Random, now: number): void {
  for (let index = 0; index < counts.campaigns; index++) {
    const startsAt = now + random.integer(-days, 20) * dayMs;
    const past = random.chance(0.8) ? "finished" : "running";
    store.run("insertCampaign", {
      id: random.id("cmp"),
      name: random.pick(campaignNames),
      channel: random.pick(["whatsapp", "sms", "email"]),
      status: startsAt > now ? random.pick(["draft", "scheduled"]) : past,
      audienceSize: random.integer(40, counts.contacts),
      startsAt: iso(startsAt),
    });
  }
}

/**
 * Creates the demo data of a tenant: agents, contacts and campaigns of the last 90 days. `talk.ts` creates the conversations. The
 * same seed creates the same data, except that all times are shifted so that the latest data is from now.
 */

import type { TenantStore } from "../store/store.ts";
import type { Random } from "./random.ts";
import { dayMs, days, insertConversation, iso, type Person, type Setting } from "./talk.ts";
import { agentNames, campaignNames, companies, firstNames, lastNames, skills, tags } from "./text.ts";

const counts = { contacts: 300, conversations: 420, campaigns: 8 };

export function fillTenant(store: TenantStore, random: Random, domain: string, now: Date): void {
  const setting = { agents: insertAgents(store, random, domain, now), now: now.getTime() };
  const people = Array.from({ length: counts.contacts }, (_, index) => makePerson(random, index));
  const lastSeen = new Map<string, number>();
  for (let left = counts.conversations; left > 0; left--) {
    const person = random.pick(people);
    const seen = insertConversation(store, random, person, setting);
    lastSeen.set(person.id, Math.max(seen, lastSeen.get(person.id) ?? 0));
  }
  for (const person of people)
    insertContact(store, random, { ...person, seen: lastSeen.get(person.id) }, setting);
  insertCampaigns(store, random, now.getTime());
}

function insertAgents(store: TenantStore, random: Random, domain: string, now: Date): readonly string[] {
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
  return ids;
}

function makePerson(random: Random, index: number): Person {
  const first = random.pick(firstNames);
  const last = random.pick(lastNames);
  const area = 202 + Math.floor(index / 100); // +1 NPA 555-01XX is reserved for fiction
  return {
    id: random.id("ctc"),
    name: `${first} ${last}`,
    phoneNumber: `+1${area}55501${String(index % 100).padStart(2, "0")}`,
    email: random.chance(0.85) ? `${first}.${last}${index}@mail.example`.toLowerCase() : null,
  };
}

function insertContact(
  store: TenantStore,
  random: Random,
  { seen, ...person }: Person & { readonly seen: number | undefined },
  { agents, now }: Setting,
): void {
  store.run("insertContact", {
    ...person,
    company: random.chance(0.4) ? random.pick(companies) : null,
    stage: random.pick(["new-lead", "qualified", "customer", "customer", "former-customer"]),
    ownerId: random.chance(0.6) ? random.pick(agents) : null,
    tags: JSON.stringify(random.chance(0.3) ? [random.pick(tags)] : []),
    createdAt: iso(now - random.integer(days, 500) * dayMs),
    lastSeenAt: seen === undefined ? null : iso(seen),
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

/** Rows in which clients leave, write, or meet a stop of the role. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../../support/random.ts";
import { seed } from "../../support/seed.ts";
import { endInBody, hang, loseAnswer, reset } from "./proxy.ts";
import { both, codeOf, ms, type Row, send, soon, unavailable } from "./row.ts";
import { key } from "./world.ts";

export const left: Row = {
  fault: "client disconnects",
  criterion: "its read calls kept for half a second, and aborted 100 ms later at most; mutations finish",
  async run({ crm, messaging, ask, platform }, { patience }) {
    crm.choose = () => hang;
    const leaving = new AbortController();
    ask('{ a: contacts(q: "a") { id } b: contacts(q: "b") { id } }', leaving.signal).catch(() => {});
    await soon(() => crm.underWay() === 2);
    const at = performance.now();
    leaving.abort();
    await soon(() => crm.left.length === 2);
    const slowest = Math.max(...crm.left) - at;
    messaging.choose =
      () =>
      ({ passOn }) =>
        void setTimeout(passOn, 150);
    const body = `left ${Date.now()}`;
    const mutating = new AbortController();
    ask(send(body), mutating.signal).catch(() => {});
    await soon(() => messaging.underWay() === 1);
    mutating.abort();
    let stored = 0;
    for (let tries = 0; tries < 50 && stored === 0; tries++) {
      await sleep(200);
      stored = await countStored(platform, body);
    }
    return {
      measured: `reads closed after ${ms(slowest)}; message stored ${stored}×`,
      pass: crm.left.length === 2 && slowest > 490 && slowest < 500 + 100 * patience && stored === 1,
    };
  },
};

/** How often a message with this text stands in the newest conversations. */
async function countStored(platform: URL, body: string): Promise<number> {
  const get = async (path: string): Promise<{ items: { id: string; body: string }[] }> =>
    (await (await fetch(new URL(path, platform), { headers: { "x-api-key": key } })).json()) as never;
  const { items } = await get("/v1/inbox/conversations?limit=5");
  const ids = items.map(({ id }) => id).join(",");
  const messages = await get(`/v1/inbox/messages?conversationIds=${ids}&limitPerConversation=20`);
  return messages.items.filter((message) => message.body === body).length;
}

export const mutations: Row = {
  fault: "mutations under 30 % faults",
  criterion: "0 duplicate writes",
  async run({ messaging, ask, platform }, { effort }) {
    const faults = [reset, loseAnswer, unavailable, endInBody];
    const random = new Random("mutations", seed);
    messaging.choose = () => (random.chance(0.3) ? random.pick(faults) : undefined);
    const total = 60 * effort;
    let duplicates = 0;
    let lost = 0;
    const run = Date.now();
    for (let count = 0; count < total; count++) {
      const body = `once ${run} ${count}`;
      const { errors } = await ask(send(body));
      const stored = await countStored(platform, body);
      if (stored > 1) duplicates++;
      if (!errors && stored === 0) lost++;
    }
    const calls = messaging.requests.length;
    return {
      measured: `${total} mutations, ${calls} calls, ${duplicates} twice, ${lost} lost`,
      pass: duplicates === 0 && lost === 0 && calls <= total,
    };
  },
};

export const terminated: Row = {
  fault: "SIGTERM under load",
  criterion: "readiness fails first, 0 failed requests, exit ≤ 10 s",
  async run({ child, graphql, ask }) {
    const outcomes = new Map<string, number>();
    let isReady = true;
    const client = async (): Promise<void> => {
      while (isReady) {
        const outcome = await ask(both).then(codeOf, (error) => String(error.cause?.code ?? error));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    const balancer = async (): Promise<void> => {
      while (isReady) {
        isReady = (await fetch(new URL("/readyz", graphql))).ok;
        await sleep(10);
      }
    };
    const load = Promise.all([balancer(), ...Array.from({ length: 10 }, client)]);
    await sleep(500);
    const at = performance.now();
    child.kill("SIGTERM");
    const [[code]] = await Promise.all([once(child, "exit"), load]);
    const took = performance.now() - at;
    const total = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
    return {
      measured: `${total} requests: ${[...outcomes].map(([name, count]) => `${name === "none" ? "good" : name} ${count}`).join(", ")}; exit ${code} after ${ms(took)}`,
      pass: outcomes.size === 1 && outcomes.has("none") && code === 0 && took < 10_000,
    };
  },
};

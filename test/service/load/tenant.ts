/** A tenant of a role: a process of its own, as in reality, so that one tenant's load does not delay another one's clock. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { headers, query } from "./requests.ts";

/** Asks again 20 ms after each answer. */
type Ask = { readonly does: "ask"; readonly ms: number };
/** Sends one request in `1 / perSecond` s, whatever comes back; each document is another one. The keys take turns. */
type Attack = {
  readonly does: "attack";
  readonly ms: number;
  readonly document: string;
  readonly keys: number;
  readonly perSecond: number;
};
export type Asked = { readonly times: number[]; readonly failed: number };
/** How often each outcome came. */
export type Attacked = Readonly<Record<string, number>>;

async function ask(pool: Pool, { ms }: Ask): Promise<Asked> {
  const times: number[] = [];
  let failed = 0;
  for (const until = performance.now() + ms; performance.now() < until; await sleep(20)) {
    const began = performance.now();
    const { statusCode, body } = await pool.request({
      path: "/v1/graphql",
      method: "POST",
      headers: { ...headers, "x-api-key": "victim" },
      body: query,
    });
    const text = await body.text();
    if (statusCode !== 200 || text.includes('"errors"')) failed++;
    times.push(performance.now() - began);
  }
  return { times, failed };
}

async function attack(pool: Pool, { ms, document, keys, perSecond }: Attack): Promise<Attacked> {
  const outcomes: Record<string, number> = {};
  const sent: Promise<void>[] = [];
  const began = performance.now();
  const one = async (index: number): Promise<void> => {
    const body = JSON.stringify({ query: `${document} # ${index}` });
    const outcome = await pool
      .request({
        path: "/v1/graphql",
        method: "POST",
        headers: { ...headers, "x-api-key": `key${index % keys}` },
        body,
      })
      .then(async (answer) => {
        let bytes = 0;
        let start = "";
        for await (const chunk of answer.body) {
          if (start.length < 2_000) start += String(chunk);
          bytes += chunk.length;
        }
        return `${answer.statusCode} ${/"code":"(\w+)"/.exec(start)?.[1] ?? `${(bytes / 1e6).toFixed(0)} MB`}`;
      })
      .catch((error: NodeJS.ErrnoException) => error.code ?? String(error));
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  while (performance.now() - began < ms) {
    const due = ((performance.now() - began) / 1_000) * perSecond;
    while (sent.length < due) sent.push(one(sent.length));
    await sleep(5);
  }
  await Promise.race([Promise.all(sent), sleep(20_000)]);
  const unanswered = sent.length - Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  return unanswered > 0 ? { ...outcomes, unanswered } : outcomes;
}

/** Starts a tenant's process. It takes the processor only where nobody else wants it, if its `niceness` is above 0. */
export function startTenant(url: URL, niceness = 0) {
  const child = fork(fileURLToPath(import.meta.url), [url.origin, String(niceness)]);
  const run = async <T>(task: Ask | Attack): Promise<T> => {
    child.send(task);
    const [result] = await once(child, "message");
    return result as T;
  };
  return {
    ask: (ms: number) => run<Asked>({ does: "ask", ms }),
    attack: (task: Omit<Attack, "does">) => run<Attacked>({ does: "attack", ...task }),
    stop: () => void child.kill(),
  };
}

if (process.send) {
  const [, , origin = "", niceness] = process.argv;
  setPriority(Number(niceness));
  const pool = new Pool(origin, { connections: 1_000, pipelining: 1 });
  process.on("message", async (task: Ask | Attack) => {
    process.send?.(task.does === "ask" ? await ask(pool, task) : await attack(pool, task));
  });
}

/**
 * Load at twice and five times what the role can do, on a schedule that does not wait for answers: how much of its
 * capacity still does good, and what the others are told. Medians of rounds, each
 * beside the capacity measured before and after it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { memoryMiB } from "../../support/child-process.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { headers, query } from "./requests.ts";
import { startRest, startRole } from "./role.ts";

const seconds = Number(process.env.SECONDS ?? 3);
const rounds = Number(process.env.ROUNDS ?? 5);
/** What is under way at the start is not counted, nor what is at the end. */
const warmUpMs = 1_500;
/** Identical queries of one caller would be executed once. So many callers take turns that hardly two of one are under way. */
const callers = 1_000;
let sent = 0;
const nextRequest = () =>
  ({
    ...{ path: "/v1/graphql", method: "POST", body: query },
    headers: { ...headers, "x-api-key": `key-${sent++ % callers}` },
  }) as const;

type Tally = {
  from: number;
  until: number;
  good: number;
  other: Map<string, number>;
  ms: number[];
  rejectMs: number[];
};

async function one(pool: Pool, tally: Tally): Promise<void> {
  const began = performance.now();
  try {
    const answer = await pool.request(nextRequest());
    const text = await answer.body.text();
    const failure = /"message":"([^"]*)"/.exec(text)?.[1];
    const took = performance.now() - began;
    if (answer.statusCode === 200 && !failure) {
      if (performance.now() > tally.from && performance.now() < tally.until) tally.good++;
      tally.ms.push(took);
    } else if (answer.statusCode === 503 && answer.headers["retry-after"]) {
      tally.rejectMs.push(took);
    } else count(tally.other, `${answer.statusCode} ${failure}`);
  } catch (error) {
    count(tally.other, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}

const count = (map: Map<string, number>, name: string): void => void map.set(name, (map.get(name) ?? 0) + 1);
const empty = (): Tally => ({
  from: performance.now() + warmUpMs,
  until: performance.now() + warmUpMs + seconds * 1_000,
  good: 0,
  other: new Map(),
  ms: [],
  rejectMs: [],
});
const at = (list: number[], part: number): string =>
  `${(list.sort((a, b) => a - b)[Math.floor(list.length * part)] ?? 0).toFixed(0)} ms`;

/** Requests a second with as many clients as keep it busy. */
async function capacity(pool: Pool): Promise<number> {
  const tally = empty();
  const client = async (): Promise<void> => {
    while (performance.now() < tally.until) await one(pool, tally);
  };
  await Promise.all(Array.from({ length: 64 }, client));
  return tally.good / seconds;
}

/** `rate` requests a second, whatever comes back. */
async function offer(pool: Pool, rate: number): Promise<Tally> {
  const tally = empty();
  const sent: Promise<void>[] = [];
  const began = performance.now();
  while (performance.now() < tally.until) {
    const due = ((performance.now() - began) / 1_000) * rate;
    while (sent.length < due) sent.push(one(pool, tally));
    await sleep(2);
  }
  await Promise.all(sent);
  return tally;
}

await readArguments("npm run suite -- overload", (line) =>
  line.description("Sends twice and five times what the graphql role can do."),
);
const verdict = new Verdict("overload");
const rest = await startRest();
const role = await startRole(rest.url);
const pool = new Pool(role.url.origin, { connections: 1_500, pipelining: 1 });
const percent = (part: number): string => `${(100 * part).toFixed(0)} %`;
const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

await capacity(pool);
for (const [times, bar] of [
  [2, "goodput at twice the capacity, of the capacity"],
  [5, "goodput at five times the capacity, of the capacity"],
] as const) {
  const runs: { goodput: number; full: number; tally: Tally }[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await capacity(pool); // a noisy machine changes its mind about what full is
    const tally = await offer(pool, times * before);
    const full = (before + (await capacity(pool))) / 2;
    runs.push({ goodput: tally.good / seconds / full, full, tally });
    await sleep(500);
  }
  const goodputs = runs.map(({ goodput }) => goodput).sort((a, b) => a - b);
  const goodput = goodputs[Math.floor(rounds / 2)] ?? 0;
  const other = runs.flatMap(({ tally }) => [...tally.other]);
  const ms = runs.flatMap(({ tally }) => tally.ms);
  const rejects = runs.flatMap(({ tally }) => tally.rejectMs);
  process.stdout.write(
    `${times}× of ${(sum(runs.map(({ full }) => full)) / rounds).toFixed(0)} requests/s: goodput ${percent(goodput)} (${goodputs.map(percent).join(", ")}), p50 ${at(ms, 0.5)}, p99 ${at(ms, 0.99)}; ${rejects.length} × 503 (p50 ${at(rejects, 0.5)}); ${other.map(([name, n]) => `${name} ${n}`).join(", ") || "nothing else"}; ${memoryMiB(role, "VmRSS").toFixed(0)} MiB\n`,
  );
  verdict.hold(bar, goodput);
  const wrong = sum(other.map(([, n]) => n));
  verdict.hold("answers that are neither right nor a 503 with Retry-After", wrong, `${times} ×`);
}
await pool.destroy();
await role.stop();
rest.close();

/**
 * Clients leave at random moments, while their caller is in debt and holds bytes: `npm run suite -- leaving -- --requests
 * 100000`, divided among `npm start`, `graphql` alone, and a gateway in front of it. Criterion: no process ends, nothing is
 * left (requests, places, bytes, timers, connections), no failure has no reader, and each request of another caller succeeds.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { pinSelf } from "../../support/child-process.ts";
import { Random } from "../../support/random.ts";
import { positive, readArguments } from "../../support/script-arguments.ts";
import { seed } from "../../support/seed.ts";
import { bars } from "../../support/suites/bars.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { leaving } from "./clients.ts";
import {
  behindGateway,
  graphqlAlone,
  type House,
  hasEnded,
  leftovers,
  npmStart,
  residentOf,
  timersOf,
} from "./house.ts";
import { startFaultyRest } from "./rest.ts";

const connections = 40;
const body = JSON.stringify({ query: "{ me { id } contacts { id } }" });

/** Asks once. Returns what was not a success, in words. */
const asker =
  (pool: Pool) =>
  async (key: string): Promise<string | undefined> => {
    const headers = { "content-type": "application/json", "x-api-key": key };
    try {
      const answer = await pool.request({ path: "/v1/graphql", method: "POST", headers, body });
      const text = await answer.body.text();
      return answer.statusCode === 200 && !text.includes('"errors"') ? undefined : text.slice(0, 300);
    } catch (error) {
      return (error as Error).message;
    }
  };

async function run(house: House, requests: number): Promise<void> {
  const { name, url, keys, programs } = house;
  const pool = new Pool(url.origin, { connections: 1 });
  const ask = asker(pool);
  await ask(keys[0]);
  const timers = await timersOf(house);
  const failures: string[] = [];
  let sent = 0;
  let asked = 0;
  let isOver = false;
  const other = async (): Promise<void> => {
    for (; !isOver; asked++) {
      const failure = await ask(keys[1]);
      if (failure !== undefined) failures.push(failure);
      await sleep(20);
    }
  };
  const random = new Random(seed, name);
  const mayEnd = (): boolean =>
    sent > requests && asked >= bars.leaving["requests of another caller"].atLeast;
  const client = async (): Promise<void> => {
    for (; !mayEnd() && !hasEnded(house); sent++) await leaving(url, keys[0], random);
  };
  const began = performance.now();
  const others = other();
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  isOver = true;
  await others;
  await pool.destroy();
  const left = await leftovers(house, timers);
  const memory = hasEnded(house) ? "it has ended" : `${residentOf(house).toFixed(0)} MiB`;
  process.stdout.write(`${name}: ${sent} requests left in ${seconds} s; ${memory}\n`);
  for (const line of [...failures.slice(0, 3), ...left]) process.stdout.write(`${line}\n`);
  verdict.hold("requests of another caller", asked, name);
  verdict.hold("failed requests of another caller", failures.length, name);
  verdict.hold("things left over", left.length, name);
  for (const program of programs) await program.stop();
}

const line = await readArguments("npm run suite -- leaving", (given) =>
  given
    .description("Lets clients leave at random moments, in every role.")
    .option("--requests <number>", "of all roles together", positive, 10_000),
);
const { requests } = line.opts<{ requests: number }>();
const verdict = new Verdict("leaving");
pinSelf(1);
const rest = await startFaultyRest(seed, 0, 0);
const houses = [npmStart, () => graphqlAlone(rest), () => behindGateway(rest)];
for (const start of houses) await run(await start(), Math.ceil(requests / houses.length));
await rest.stop();

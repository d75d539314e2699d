/**
 * Clients leave at random moments, while their caller is in debt and holds bytes: `npm run suite -- leaving -- --requests
 * 100000`, divided among `npm start`, `graphql` alone, and a gateway in front of it. Criterion: no process ends, nothing is
 * left (requests, places, bytes, timers, connections), no failure has no reader, and each request of another caller succeeds.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { Verdict } from "../suites/verdict.ts";
import { pinSelf } from "../support/child-process.ts";
import { Random } from "../support/random.ts";
import { readArguments } from "../support/script-arguments.ts";
import { leaving } from "./clients.ts";
import {
  behindGateway,
  graphqlAlone,
  type House,
  hasEnded,
  leftovers,
  memoryOf,
  npmStart,
  timersOf,
} from "./house.ts";
import { startFaultyRest } from "./rest.ts";

const connections = 40;
const body = JSON.stringify({ query: "{ me { id } contacts { id } }" });

/** One request after another until `isOver`. Returns what was not a success. */
async function other(url: URL, key: string, isOver: () => boolean) {
  const pool = new Pool(url.origin, { connections: 1 });
  const failures: string[] = [];
  let sent = 0;
  for (; !isOver(); sent++) {
    const headers = { "content-type": "application/json", "x-api-key": key };
    const outcome = await pool
      .request({ path: "/v1/graphql", method: "POST", headers, body })
      .then(async (answer) => {
        const text = await answer.body.text();
        return answer.statusCode === 200 && !text.includes('"errors"') ? "" : text.slice(0, 300);
      })
      .catch((error: Error) => error.message);
    if (outcome !== "") failures.push(outcome);
    await sleep(20);
  }
  await pool.destroy();
  return { sent, failures };
}

async function run(house: House, requests: number, seed: number): Promise<void> {
  const { name, url, keys, programs } = house;
  let isOver = false;
  await other(url, keys[0], once());
  const timers = await timersOf(house);
  const others = other(url, keys[1], () => isOver);
  const random = new Random(seed, name);
  let sent = 0;
  const client = async (): Promise<void> => {
    while (sent++ < requests && !hasEnded(house)) await leaving(url, keys[0], random);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  isOver = true;
  const { sent: asked, failures } = await others;
  const left = await leftovers(house, timers);
  const memory = hasEnded(house) ? "it has ended" : await told(house);
  process.stdout.write(`${name}: ${requests} requests left in ${seconds} s; ${memory}\n`);
  for (const line of [...failures.slice(0, 3), ...left]) process.stdout.write(`${line}\n`);
  verdict.hold("requests of another caller", asked, name);
  verdict.hold("failed requests of another caller", failures.length, name);
  verdict.hold("things left over", left.length, name);
  for (const program of programs) await program.stop();
}

/** A condition that holds from its second reading on. */
function once(): () => boolean {
  let read = 0;
  return () => read++ > 0;
}

async function told(house: House): Promise<string> {
  const { resident, heap } = await memoryOf(house);
  return `${resident.toFixed(0)} MiB, heap ${heap.toFixed(0)}`;
}

const line = await readArguments("npm run suite -- leaving", (given) =>
  given
    .description("Lets clients leave at random moments, in every role.")
    .option("--requests <number>", "of all roles together", "10000")
    .option("--seed <number>", "of the random choices", String(Date.now() % 1e6)),
);
const { requests, seed } = line.opts<{ requests: string; seed: string }>();
const verdict = new Verdict("leaving");
process.stdout.write(`seed ${seed}\n`);
pinSelf(1);
const rest = await startFaultyRest(Number(seed), 0, 0);
const houses = [npmStart, () => graphqlAlone(rest), () => behindGateway(rest)];
for (const start of houses)
  await run(await start(), Math.ceil(Number(requests) / houses.length), Number(seed));
rest.close();

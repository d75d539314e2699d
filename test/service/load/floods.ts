/**
 * Floods whose requests cost the role far more than the sender: what they do to another caller, and to the process. Each
 * comes from a thread of its own, so that it does not delay the clock of the other caller.
 */
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Argument } from "commander";
import { Pool } from "undici";
import { formatApiKey } from "../../../src/engine/runtime/http/api-key.ts";
import { listens, memoryMiB, main as program, startProgram } from "../../support/child-process.ts";
import { readArguments } from "../../support/script-arguments.ts";
import { Verdict } from "../../support/suites/verdict.ts";
import { headers, query } from "./requests.ts";
import { type Role, startRest, startRole } from "./role.ts";

const seconds = Number(process.env.SECONDS ?? 8);
const text = (count: number, part: (index: number) => string, between = " "): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(between);
const manyNames = `{"query":"{ __typename }","variables":{${text(80_000, (index) => `"k${index}":0`, ",")}}}`;
const spreads = text(600, (index) => `...F${index}`);

type Flood = {
  /** What the limit says that is there for this flood. Another one must not hide that it is gone. */
  readonly limit: string;
  readonly perSecond: number;
  readonly body: (index: number) => string;
  readonly key: (index: number) => string;
};
const floods: Readonly<Record<string, Flood>> = {
  "bodies of 80,000 names": {
    limit: "at most 50000 values",
    perSecond: 20,
    body: () => manyNames,
    key: () => "key",
  },
  "refused documents, each with another key": {
    limit: "repeats the same fields too often",
    perSecond: 40,
    body: (index) => JSON.stringify({ query: `{ me { ${spreads} } } # ${index}` }),
    key: (index) => `key${index}`,
  },
};
/** Against all roles in one process, with the demo's keys. */
const unknownKeys = "300 unknown keys a second from one address, against the gateway";
const gatewayFloods: Readonly<Record<string, Flood>> = {
  [unknownKeys]: {
    limit: "RATE_LIMITED",
    perSecond: 300,
    body: () => query,
    key: (index) => formatApiKey("test", `unknown${index}x`.padEnd(26, "0")),
  },
};
const demoKey = "sk_test_DemoHarborOlivia00000000004LRXgc";
/** The type of the body, and what its limit says. A body of the second one is answered before it is there, and goes on. */
const chunks: Readonly<Record<string, readonly [type: string, limit: string]>> = {
  "chunks of one byte, 32 connections without a key": ["application/json", "has too many small chunks"],
  "chunks of one byte behind the answer, 32 connections": ["text/plain", "UNSUPPORTED_MEDIA_TYPE"],
};

const tell = (text: string, limit: string): void => {
  if (text.includes(limit)) parentPort?.postMessage(limit);
};

function send(url: URL, { limit, perSecond, body, key }: Flood): void {
  const pool = new Pool(url.origin, { connections: 200 });
  let index = 0;
  setInterval(() => {
    const sent = { ...headers, "x-api-key": key(index) };
    const options = { path: url.pathname, method: "POST", headers: sent, body: body(index++) } as const;
    pool.request(options).then(
      async (answer) => tell(await answer.body.text(), limit),
      () => {},
    );
  }, 1_000 / perSecond);
}

function sendChunks(url: URL, [type, limit]: readonly [string, string]): void {
  const body = "1\r\na\r\n".repeat(10_000);
  const open = (): void => {
    const socket = net.connect(Number(url.port), url.hostname);
    const more = (): void => void (socket.destroyed || socket.write(body, () => setTimeout(more, 5)));
    socket
      .on("error", () => {})
      .on("data", (piece) => tell(String(piece), limit))
      .on("close", () => setTimeout(open, 20));
    socket.write(
      `POST /v1/graphql HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    more();
  };
  for (let count = 0; count < 32; count++) open();
}

async function startAllRoles(): Promise<Role> {
  const started = startProgram([program, "gateway", "graphql", "platform"], {}, { core: 0 });
  return { ...started, url: new URL("/v1/graphql", await listens(started)) };
}

async function medianOf(pool: Pool, ms: number, key: string): Promise<number> {
  const times: number[] = [];
  for (const until = performance.now() + ms; performance.now() < until; await sleep(20)) {
    const began = performance.now();
    const sent = { ...headers, "x-api-key": key };
    const answer = await pool.request({ path: "/v1/graphql", method: "POST", headers: sent, body: query });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

async function main(): Promise<void> {
  const all = [floods, chunks, gatewayFloods].flatMap(Object.keys);
  const { args } = await readArguments("npm run suite -- floods", (line) =>
    line
      .description("Measures what floods do to another caller.")
      .addArgument(new Argument("[flood...]", "some of them").choices(all)),
  );
  const verdict = new Verdict("floods");
  const rest = await startRest();
  for (const name of args.length > 0 ? args : all) {
    const isGateway = name in gatewayFloods;
    const role = await (isGateway ? startAllRoles() : startRole(rest.url));
    const key = isGateway ? demoKey : "victim";
    const pool = new Pool(role.url.origin, { connections: 4 });
    await medianOf(pool, 3_000, key); // warms up
    const before = await medianOf(pool, 2_000, key);
    const data = { name, url: role.url.href };
    const flood = new Worker(fileURLToPath(import.meta.url), { workerData: data });
    let limited = 0;
    flood.on("message", () => limited++);
    await sleep(500);
    const during = await medianOf(pool, seconds * 1_000, key);
    await flood.terminate();
    const peak = memoryMiB(role, "VmHWM");
    process.stdout.write(
      `${name}: the other's median ${before.toFixed(1)} → ${during.toFixed(1)} ms; ${peak.toFixed(0)} MiB\n`,
    );
    verdict.hold("answers that name the flood's own limit", limited, name);
    verdict.hold("median of the other caller, of what it was", during / before, name);
    verdict.hold("memory at most", peak, name);
    await pool.destroy();
    await role.stop();
  }
  rest.close();
}

if (isMainThread) await main();
else {
  const { name, url } = workerData as { name: string; url: string };
  const flood = floods[name] ?? gatewayFloods[name];
  const chunked = chunks[name];
  if (flood) send(new URL(url), flood);
  else if (chunked) sendChunks(new URL(url), chunked);
}

/**
 * What the gateway costs: the same upstream called directly and through the gateway, over keep-alive connections.
 * Upstream and gateway each run in a process of their own; the figures are added p50 and p99 at one connection
 * (nobody waits for anybody), and requests a second for each core that the gateway uses at many.
 * `npm run bench -- gateway [seconds]`
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { api } from "../../../generated/index.ts";
import { createGateway } from "../../../src/engine/gateway/gateway.ts";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { contextOf, goodKey } from "../../engine/gateway/fakes.ts";
import { positive, readArguments } from "../../support/script-arguments.ts";

const file = import.meta.filename;
const [, , role, upstreamUrl = ""] = process.argv;
const body = JSON.stringify({ data: "x".repeat(1_024) });

process.on("disconnect", () => process.exit()); // a child ends with the bench
if (role === "upstream") serveUpstream();
else if (role === "gateway") await serveGateway(new URL(upstreamUrl));
else await bench((await readSeconds()) * 1_000);

async function readSeconds(): Promise<number> {
  const line = await readArguments("npm run bench -- gateway", (line) =>
    line
      .description("Measures the cost of the gateway beside direct calls of the same upstream.")
      .argument("[seconds]", "the time of each measurement", positive, 5),
  );
  return line.processedArgs[0] as number;
}

function serveUpstream(): void {
  const known = JSON.stringify(contextOf("bench"));
  const server = createServer((request, response) => {
    request.resume();
    const answer = request.url?.startsWith("/internal/") ? known : body;
    response
      .writeHead(200, { "content-type": "application/json", "content-length": answer.length })
      .end(answer);
  }).listen(0, "127.0.0.1", () =>
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
}

async function serveGateway(upstream: URL): Promise<void> {
  const config = readConfig({ GATEWAY_SECRET: "a-secret-of-the-gateway" }, ["gateway"]);
  const keyIntrospection = new URL("/internal/keys/introspect", upstream);
  const gateway = await createGateway(config, { rest: upstream, keyIntrospection }, api);
  process.on("message", () => process.send?.(process.cpuUsage()));
  process.send?.(await gateway.listen({ port: 0, host: "127.0.0.1" }));
}

async function bench(ms: number): Promise<void> {
  const upstream = await run("upstream");
  const gateway = await run("gateway", upstream.url);
  for (const { url } of [upstream, gateway]) await load(url, 16, 1_000); // warm up
  const direct = await load(upstream.url, 1, ms);
  const through = await load(gateway.url, 1, ms);
  const before = await cpu(gateway.child);
  const many = await load(gateway.url, 32, ms);
  const used = (await cpu(gateway.child)) - before;
  const added = (share: number): string =>
    (percentile(through, share) - percentile(direct, share)).toFixed(3);
  console.log(
    `direct     p50 ${percentile(direct, 0.5).toFixed(3)} ms  p99 ${percentile(direct, 0.99).toFixed(3)} ms`,
  );
  console.log(
    `gateway    p50 ${percentile(through, 0.5).toFixed(3)} ms  p99 ${percentile(through, 0.99).toFixed(3)} ms`,
  );
  console.log(`added      p50 ${added(0.5)} ms  p99 ${added(0.99)} ms`);
  const perSecond = Math.round((many.length / ms) * 1_000);
  console.log(
    `32 clients ${perSecond} requests/s, ${Math.round((many.length / used) * 1_000)} per core-second of the gateway`,
  );
  upstream.child.kill();
  gateway.child.kill();
}

async function run(name: string, ...args: string[]): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(file, [name, ...args]);
  const [url] = (await once(child, "message")) as [string];
  return { child, url };
}

/** Milliseconds of CPU that the process has used. */
async function cpu(child: ChildProcess): Promise<number> {
  child.send("cpu");
  const [{ user, system }] = (await once(child, "message")) as [NodeJS.CpuUsage];
  return (user + system) / 1_000;
}

/** Latencies in ms, sorted, of as many GETs as `clients` can make one after the other. */
async function load(url: string, clients: number, ms: number): Promise<number[]> {
  const pool = new Pool(url, { connections: clients });
  const latencies: number[] = [];
  const until = performance.now() + ms;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      const startedAt = performance.now();
      const headers = { "x-api-key": goodKey };
      const answer = await pool.request({ path: "/v1/identity/me", method: "GET", headers });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  await pool.close();
  return latencies.sort((left, right) => left - right);
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

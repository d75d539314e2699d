/** Processes that are frozen, and replicas that are new, behind HAProxy as deploy/ configures it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { spreadPool } from "../../../src/engine/runtime/rest/upstream/spread-pool.ts";
import { freePort } from "../../support/free-port.ts";
import { isInstalled, startBalancer } from "./start-balancer.ts";

/** A process that answers with its port. */
async function replica(port: number): Promise<ChildProcess> {
  const text = `require("node:http")
    .createServer((request, response) => request.resume().on("end", () => response.end("${port}")))
    .listen(${port}, "127.0.0.1", () => console.log("listens"));`;
  const child = spawn(process.execPath, ["-e", text], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The replica of port ${port} ended with ${code} before it listened.`);
  });
  await Promise.race([once(child.stdout, "data"), ended]);
  return child;
}

const two = (): Promise<[number, number]> => Promise.all([freePort(), freePort()]);

describe("haproxy", () => {
  test.skipIf(!isInstalled("haproxy"))(
    "five seconds after a process froze, no request waits for it, at either door",
    { timeout: 120_000 },
    async () => {
      const gateways = await two();
      const graphql = await two();
      const [frozenGateway, , frozenGraphql] = await Promise.all([...gateways, ...graphql].map(replica));
      const { ask, inner } = await startBalancer({ gateways, graphql });
      const slow: number[] = [];
      /** Requests for `ms`, forty a second, half at each door. Returns how many were sent. */
      const load = async (ms: number): Promise<number> => {
        const asked: Promise<void>[] = [];
        const measured = async (one: () => Promise<number>): Promise<void> => {
          const began = performance.now();
          const status = await one().catch(() => 0);
          if (status !== 200 || performance.now() - began > 2_000) slow.push(status);
        };
        for (const until = performance.now() + ms; performance.now() < until; await sleep(50)) {
          asked.push(measured(async () => (await ask("/v1/x", { body: "{}" })).status));
          asked.push(
            measured(async () => (await fetch(`${inner}/v1/x`, { method: "POST", body: "{}" })).status),
          );
        }
        await Promise.all(asked);
        return asked.length;
      };
      await expect.poll(async () => (await ask("/v1/x")).status, { timeout: 30_000 }).toBe(200);
      await expect.poll(async () => (await fetch(inner)).status, { timeout: 30_000 }).toBe(200);
      for (const one of [frozenGateway, frozenGraphql]) one?.kill("SIGSTOP");
      await sleep(5_000);
      expect(await load(5_000)).toBeGreaterThan(60);
      expect(slow).toEqual([]);
      for (const one of [frozenGateway, frozenGraphql]) one?.kill("SIGCONT");
      const answersAgain = async () => (await ask("/v1/x")).text;
      await expect.poll(answersAgain, { timeout: 30_000 }).toBe(String(gateways[0]));
    },
  );
});

test.skipIf(!isInstalled("haproxy"))(
  "behind a layer-4 balancer, a replica that is new has its part of the requests after 30 s",
  { timeout: 120_000 },
  async () => {
    const ports = await two();
    const front = await freePort();
    const folder = mkdtempSync(join(tmpdir(), "layer4-"));
    const file = join(folder, "haproxy.cfg");
    const socket = join(folder, "haproxy.sock");
    writeFileSync(
      file,
      `global
  stats socket ${socket} level admin
defaults
  mode tcp
  timeout connect 1s
  timeout client 60s
  timeout server 60s
listen all
  bind 127.0.0.1:${front}
  balance leastconn
  server old 127.0.0.1:${ports[0]}
  server young 127.0.0.1:${ports[1]} disabled
`,
    );
    await replica(ports[0]);
    const haproxy = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" });
    const pool = spreadPool(`http://127.0.0.1:${front}`, { connections: 64, headersTimeout: 10_000 });
    onTestFinished(async () => {
      await pool.destroy();
      haproxy.kill("SIGKILL");
      rmSync(folder, { recursive: true });
    });
    const counts = new Map<string, number>();
    const ask = async (): Promise<void> => {
      const { body } = await pool.request({ path: "/", method: "GET" });
      const port = await body.text();
      counts.set(port, (counts.get(port) ?? 0) + 1);
    };
    /** 64 requests at a time, one on each connection. The balancer's choice has no chance in it, so few connections do. */
    const load = async (ms: number): Promise<void> => {
      for (const until = performance.now() + ms; performance.now() < until; await sleep(400))
        await Promise.all(Array.from({ length: 64 }, ask));
    };
    await expect
      .poll(
        () =>
          ask().then(
            () => true,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true);
    await load(5_000);
    await replica(ports[1]);
    await once(connect(socket).end("set server all/young state ready\n").resume(), "end");
    await load(30_000);
    counts.clear();
    await load(15_000);
    const [old = 0, young = 0] = ports.map((port) => counts.get(String(port)));
    expect(young / (old + young)).toBeGreaterThan(0.4);
    expect(young / (old + young)).toBeLessThan(0.6);
  },
);

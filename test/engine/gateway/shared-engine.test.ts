/** Two gateways and one Redis: limits count once, a revocation reaches both, and nothing depends on Redis. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { revokedChannel } from "../../../src/engine/http/revoked-channel.ts";
import { freePort } from "../../support/free-port.ts";
import { goodKey } from "./fakes.ts";
import { startGateway } from "./start.ts";

/** Debian's package `redis-server` has it, and `.ci/run` installs it. */
const command = ["redis-server", "valkey-server"].find((name) => !spawnSync(name, ["--version"]).error);

async function startEngine(port: number): Promise<ChildProcess> {
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp"];
  const engine = spawn(command ?? "", args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void engine.kill("SIGKILL"));
  let text = "";
  engine.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await expect.poll(() => text, { timeout: 60_000 }).toMatch(/Ready to accept/i);
  return engine;
}

const call = async (url: URL): Promise<number> =>
  (await fetch(new URL("/v1/identity/me", url), { headers: { "x-api-key": goodKey } })).status;

describe.skipIf(!command)("REDIS_URL", { timeout: 180_000 }, () => {
  const limited = { NODE_ENV: "production", RATE_LIMIT_PER_KEY: "10", RATE_LIMIT_PER_ADDRESS: "1000" };

  /** Two gateways that have found the engine. */
  async function twoGateways(port: number, environment: NodeJS.ProcessEnv = {}) {
    const env = { ...limited, REDIS_URL: `redis://127.0.0.1:${port}`, ...environment };
    const gateways = [await startGateway({ env }), await startGateway({ env })];
    const engine = new Redis(port, "127.0.0.1");
    onTestFinished(() => engine.disconnect());
    engine.on("error", () => {}); // it is stopped by a test
    const subscribers = async () => Number((await engine.pubsub("NUMSUB", revokedChannel))[1]);
    await expect.poll(subscribers, { timeout: 60_000 }).toBe(2);
    return { gateways, engine, urls: gateways.map(({ url }) => url) as [URL, URL] };
  }

  test("two gateways let the limit through once, and each limit has a prefix of its own", async () => {
    const port = await freePort();
    await startEngine(port);
    const { urls, engine } = await twoGateways(port);
    const statuses: number[] = [];
    for (let asked = 0; asked < 30; asked++) statuses.push(await call(urls[asked % 2] as URL));
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const keys = await engine.keys("*");
    expect(keys.map((key) => key.split(":").slice(0, 2).join(":")).sort()).toEqual([
      "restbound:address_rate",
      "restbound:key_rate",
    ]);
    expect(keys.join()).not.toContain(goodKey);
  });

  test("the engine down: each counts for itself and nothing is refused for it; back: together again", async () => {
    const port = await freePort();
    const engine = await startEngine(port);
    const { urls } = await twoGateways(port);
    engine.kill("SIGKILL");
    await once(engine, "exit");
    const statuses: number[] = [];
    for (let asked = 0; asked < 24; asked++) statuses.push(await call(urls[asked % 2] as URL));
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200)); // ten of each
    expect(statuses.slice(20)).toEqual(Array(4).fill(429));
    await startEngine(port);
    // a new engine has counted nothing yet
    await expect.poll(() => call(urls[0]), { timeout: 60_000 }).toBe(200);
  });

  test("the engine hangs: it is as if it were down, and only the first requests wait for it", async () => {
    const port = await freePort();
    const engine = await startEngine(port);
    const { urls } = await twoGateways(port);
    engine.kill("SIGSTOP");
    const began = performance.now();
    const statuses: number[] = [];
    for (let asked = 0; asked < 24; asked++) statuses.push(await call(urls[asked % 2] as URL));
    expect(performance.now() - began).toBeLessThan(6_000); // every count waits 250 ms otherwise: 12 s
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(4).fill(429)]);
    engine.kill("SIGCONT");
    // the engine has counted only the first requests
    await expect.poll(() => call(urls[0]), { timeout: 60_000 }).toBe(200);
  });

  test.each<[string, (engine: Redis) => Promise<unknown>]>([
    ["as a replica", (engine) => engine.replicaof("127.0.0.1", 9)],
    ["for want of memory", (engine) => engine.config("SET", "maxmemory", "1")],
    ["one key, whose name has a list", (engine) => engine.rpush("restbound:key_rate:key-good", "x")],
  ])("the engine refuses to count %s: each counts for itself, and says so", async (_why, fault) => {
    const port = await freePort();
    await startEngine(port);
    const { urls, gateways, engine } = await twoGateways(port);
    const areUp = () => gateways.map(({ gateway }) => gateway.sharedEngine?.isUp());
    expect(areUp()).toEqual([true, true]);
    await fault(engine);
    const statuses: number[] = [];
    for (let asked = 0; asked < 24; asked++) statuses.push(await call(urls[asked % 2] as URL));
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(4).fill(429)]);
    expect(areUp()).toEqual([false, false]);
  });

  test("a revoked key is forgotten by every gateway as soon as that is published", async () => {
    const port = await freePort();
    await startEngine(port);
    const { urls, gateways, engine } = await twoGateways(port, { RATE_LIMIT_PER_KEY: "100000" });
    for (const url of urls) expect(await call(url)).toBe(200);
    for (const { keys } of gateways) expect(keys.asked).toHaveLength(1);
    await engine.publish(revokedChannel, "key_of_nobody");
    for (const url of urls) expect(await call(url)).toBe(200);
    for (const { keys } of gateways) expect(keys.asked).toHaveLength(1);
    await engine.publish(revokedChannel, "key-good");
    for (const [index, url] of urls.entries())
      await expect
        .poll(async () => {
          await call(url);
          return gateways[index]?.keys.asked.length;
        })
        .toBe(2);
  });
});

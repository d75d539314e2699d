/** Two gateways and one Redis: limits count once, and nothing depends on Redis. */
import type { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { goodKey } from "./fakes.ts";
import { type RedisServer, redisServer, startRedis, stopRedis } from "./redis.ts";
import { startGateway } from "./start.ts";

const call = async (url: URL): Promise<number> =>
  (await fetch(new URL("/v1/identity/me", url), { headers: { "x-api-key": goodKey } })).status;

describe.skipIf(!redisServer)("REDIS_URL", { timeout: 180_000 }, () => {
  const limited = { NODE_ENV: "production", RATE_LIMIT_PER_KEY: "10", RATE_LIMIT_PER_ADDRESS: "1000" };

  /** Two gateways that have found the server. */
  async function twoGateways({ port }: RedisServer, environment: NodeJS.ProcessEnv = {}) {
    const env = { ...limited, REDIS_URL: `redis://127.0.0.1:${port}`, ...environment };
    const gateways = [await startGateway({ env }), await startGateway({ env })];
    const areUp = () => gateways.map(({ gateway }) => gateway.shared?.rates.isUp());
    await expect.poll(areUp, { timeout: 60_000 }).toEqual([true, true]);
    return { gateways, areUp, urls: gateways.map(({ url }) => url) as [URL, URL] };
  }

  test("two gateways share one limit, and each limit has its own key prefix", async () => {
    const redis = await startRedis();
    const { urls } = await twoGateways(redis);
    const statuses: number[] = [];
    for (let asked = 0; asked < 30; asked++) statuses.push(await call(urls[asked % 2] as URL));
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const keys = await redis.client.keys("restbound:*_rate:*");
    expect(keys.map((key) => key.split(":").slice(0, 2).join(":")).sort()).toEqual([
      "restbound:address_rate",
      "restbound:key_rate",
    ]);
    expect(keys.join()).not.toContain(goodKey);
  });

  test("the server down: each counts for itself and nothing is refused for it; back: together again", async () => {
    const redis = await startRedis();
    const { urls } = await twoGateways(redis);
    await stopRedis(redis);
    const statuses: number[] = [];
    for (let asked = 0; asked < 24; asked++) statuses.push(await call(urls[asked % 2] as URL));
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200)); // ten of each
    expect(statuses.slice(20)).toEqual(Array(4).fill(429));
    await startRedis(redis.port);
    // a new server has counted nothing yet
    await expect.poll(() => call(urls[0]), { timeout: 60_000 }).toBe(200);
  });

  test("the server hangs: it is as if it were down, and only the first requests wait for it", async () => {
    const redis = await startRedis();
    const { urls } = await twoGateways(redis);
    redis.process.kill("SIGSTOP");
    const began = performance.now();
    const statuses: number[] = [];
    for (let asked = 0; asked < 24; asked++) statuses.push(await call(urls[asked % 2] as URL));
    expect(performance.now() - began).toBeLessThan(6_000); // every count waits 250 ms otherwise: 12 s
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(4).fill(429)]);
    redis.process.kill("SIGCONT");
    // the server has counted only the first requests
    await expect.poll(() => call(urls[0]), { timeout: 60_000 }).toBe(200);
  });

  test.each<[string, (redis: Redis) => Promise<unknown>]>([
    ["as a replica", (redis) => redis.replicaof("127.0.0.1", 9)],
    ["for want of memory", (redis) => redis.config("SET", "maxmemory", "1")],
    ["one key, whose name has a list", (redis) => redis.rpush("restbound:key_rate:key-good", "x")],
  ])("the server refuses to count %s: each counts for itself, and says so", async (_why, fault) => {
    const redis = await startRedis();
    const { urls, areUp } = await twoGateways(redis);
    await fault(redis.client);
    const statuses: number[] = [];
    for (let asked = 0; asked < 24; asked++) statuses.push(await call(urls[asked % 2] as URL));
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(4).fill(429)]);
    expect(areUp()).toEqual([false, false]);
  });
});

/** The log of revoked keys in a real Redis: what arrives, what may be lost and is noticed, and what it costs. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRedisRateStore } from "../../../src/engine/gateway/redis-rate-store.ts";
import {
  openRevocationLog,
  RevocationLog,
  revocationStream,
} from "../../../src/engine/gateway/revocation-log.ts";
import { revocationLog } from "../../../src/engine/runtime/settings/capacity.ts";
import { goodKey, otherKey } from "./fakes.ts";
import { type RedisServer, redisServer, startProxy, startRedis, stopRedis } from "./redis.ts";
import { startGateway } from "./start.ts";
import { call } from "./verify.ts";

/** A follower, and what it tells: the keys it forgets, and how often revocations may be lost. */
async function follow(url: string, unconfirmedMs = 30_000) {
  const forgotten: string[] = [];
  const told = { misses: 0, confirmedAt: Number.NEGATIVE_INFINITY };
  const lines: string[] = [];
  const log = { warn: (...line: unknown[]) => lines.push(JSON.stringify(line)) };
  const follower = new RevocationLog(
    () => new URL(url),
    log as never,
    {
      forget: (ids) => forgotten.push(...ids.keys()),
      confirm: (at) => {
        told.confirmedAt = at;
      },
      miss: () => {
        told.misses++;
      },
    },
    unconfirmedMs,
  );
  onTestFinished(() => follower.close());
  await expect.poll(() => told.confirmedAt, { timeout: 30_000 }).toBeGreaterThan(0);
  const { counts } = follower;
  return { follower, forgotten, told, lines, counts };
}

const urlOf = ({ port }: RedisServer): string => `redis://127.0.0.1:${port}`;
const publish = (client: Redis, id: string, at = "*"): Promise<string | null> =>
  client.xadd(revocationStream, "MAXLEN", "~", 10_000, at, "key", id);

describe.skipIf(!redisServer)("the log of revoked keys", { timeout: 180_000 }, () => {
  test("a revocation reaches every gateway, which looks up that key alone", async () => {
    const redis = await startRedis();
    const env = { NODE_ENV: "production", REDIS_URL: urlOf(redis), KEY_CACHE_MS: "600000" };
    const gateways = [await startGateway({ env }), await startGateway({ env })];
    for (const { gateway } of gateways)
      await expect.poll(() => gateway.shared?.revocations.isCurrent).toBe(true);
    for (const { url } of gateways)
      for (const key of [goodKey, otherKey]) expect((await call(url, key)).status).toBe(200);
    const writer = await openRevocationLog(new URL(urlOf(redis)));
    onTestFinished(writer.close);
    for (const { keys } of gateways) keys.answers.delete(goodKey);
    const began = performance.now();
    await writer.append("key-good");
    for (const { url, keys } of gateways) {
      await expect.poll(async () => (await call(url, goodKey)).status, { interval: 5 }).toBe(401);
      expect((await call(url, otherKey)).status).toBe(200);
      expect(keys.asked.filter((key) => key === otherKey)).toHaveLength(1);
    }
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test("by redis-cli too; several keys in one entry", async () => {
    const redis = await startRedis();
    const { forgotten, counts } = await follow(urlOf(redis));
    await redis.client.xadd(revocationStream, "*", "key", "a", "key", "b", "note", "key");
    await publish(redis.client, "c");
    await expect.poll(() => forgotten).toEqual(["a", "b", "c"]);
    expect(counts).toEqual({ revocations: 3, gaps: 0 });
  });

  test("an entry without a known field counts as a loss, and is logged once a minute", async () => {
    const redis = await startRedis();
    const { forgotten, counts, told, lines, follower } = await follow(urlOf(redis));
    for (const [index, field] of ["KEY", "apiKeyId", "note"].entries()) {
      await redis.client.xadd(revocationStream, "*", field, "key");
      await expect.poll(() => [counts.gaps, told.misses]).toEqual([index + 1, index + 2]); // one at the start
    }
    const values = ["", " ", " k", "k\n", '["k1","k2"]', "undefined", "[object Object]"];
    const entries = [...values.map((value) => ["key", value]), ["beat", "k"], ["beat", "1", "KEY", "k"]];
    for (const [index, entry] of entries.entries()) {
      await redis.client.xadd(revocationStream, "*", ...entry);
      await expect.poll(() => counts.gaps).toBe(index + 4);
    }
    expect(follower.isCurrent).toBe(false);
    expect(lines).toEqual([expect.stringContaining("has no field")]);
    await publish(redis.client, "c");
    await expect.poll(() => forgotten).toContain("c");
    expect(counts.gaps).toBe(12);
  });

  test("published while the connection is opened again: it arrives, and nothing is lost", async () => {
    const redis = await startRedis();
    const proxy = await startProxy(redis.port);
    const { forgotten, counts, told } = await follow(proxy.url);
    for (let round = 0; round < 20; round++) {
      proxy.cut();
      await publish(redis.client, `key ${round}`);
      await expect.poll(() => forgotten.length, { interval: 5 }).toBe(round + 1);
    }
    expect(counts.gaps).toBe(0);
    expect(told.misses).toBe(1); // at the start
  });

  test("a connection that a NAT has dropped is noticed within seconds, and what was missed arrives", async () => {
    const redis = await startRedis();
    const proxy = await startProxy(redis.port);
    const { forgotten, counts } = await follow(proxy.url);
    proxy.deafen();
    await publish(redis.client, "missed");
    const began = performance.now();
    await expect.poll(() => forgotten, { interval: 20 }).toEqual(["missed"]);
    expect(performance.now() - began).toBeLessThan(6_000);
    expect(counts.gaps).toBe(0);
  });

  test("a server that answers nothing: the log is not current, says so once, and is again when it answers", async () => {
    const redis = await startRedis();
    const proxy = await startProxy(redis.port);
    const { follower, forgotten, counts, lines } = await follow(proxy.url);
    proxy.deafenNew(true);
    proxy.deafen();
    await publish(redis.client, "missed");
    await expect.poll(() => follower.isCurrent, { timeout: 20_000 }).toBe(false);
    expect(follower.lagMs).toBeGreaterThan(4_000);
    await expect.poll(() => lines.length, { timeout: 30_000 }).toBe(1);
    expect(lines[0]).toMatch(/ETIMEDOUT.*revoked keys may not arrive/);
    await sleep(5_000);
    expect(lines).toHaveLength(1);
    proxy.deafenNew(false);
    proxy.cut();
    await expect.poll(() => follower.isCurrent, { timeout: 20_000 }).toBe(true);
    expect(forgotten).toEqual(["missed"]);
    expect(counts.gaps).toBe(0);
    expect(lines[1]).toContain("arrive again");
  });

  test("through a gateway: a key that was revoked while nothing arrives is refused after KEY_UNCONFIRMED_MS", async () => {
    const redis = await startRedis();
    const proxy = await startProxy(redis.port);
    const { url, keys, gateway } = await startGateway({
      env: {
        ...{ NODE_ENV: "production", REDIS_URL: proxy.url },
        ...{ KEY_CACHE_MS: "600000", KEY_UNCONFIRMED_MS: "8000" },
      },
    });
    await expect.poll(() => gateway.shared?.revocations.isCurrent).toBe(true);
    expect((await call(url, goodKey)).status).toBe(200);
    proxy.deafenNew(true);
    proxy.deafen();
    const began = performance.now();
    keys.answers.delete(goodKey);
    await publish(redis.client, "key-good");
    const statuses = new Map<number, number>();
    while (performance.now() - began < 10_000) {
      const { status } = await call(url, goodKey);
      statuses.set(status, performance.now() - began);
      await sleep(100);
    }
    expect(statuses.get(200)).toBeLessThan(8_000);
    expect(statuses.get(401)).toBeGreaterThan(9_000);
  });

  describe("a loss is noticed", () => {
    test.each<[string, (redis: Redis) => Promise<unknown>]>([
      ["FLUSHALL", (redis) => redis.flushall()],
      ["the stream is deleted or evicted", (redis) => redis.del(revocationStream)],
      ["the stream is trimmed to nothing", (redis) => redis.xtrim(revocationStream, "MAXLEN", 0)],
      [
        "the stream begins again, with lower ids",
        async (redis) => {
          await redis.multi().del(revocationStream).xadd(revocationStream, "1-1", "key", "low").exec();
        },
      ],
      [
        "more was written than the log holds",
        async (redis) => {
          const many = redis.multi();
          for (let index = 0; index < 500; index++)
            many.xadd(revocationStream, "MAXLEN", 100, "*", "key", `${index}`);
          await many.exec();
        },
      ],
    ])("%s", async (_what, fault) => {
      const redis = await startRedis();
      const { follower, told, counts, forgotten, lines } = await follow(urlOf(redis), 2_000);
      expect(counts.gaps).toBe(0);
      await fault(redis.client);
      await expect.poll(() => counts.gaps, { timeout: 10_000 }).toBe(1);
      await expect.poll(() => told.misses).toBe(2);
      expect(lines[0]).toMatch(/last entry.*revocations may be lost/);
      expect(follower.isCurrent).toBe(false);
      await publish(redis.client, "later");
      await expect.poll(() => forgotten.at(-1)).toBe("later");
      await expect.poll(() => follower.isCurrent).toBe(true); // nothing cached depends on it any more
      expect(counts.gaps).toBe(1);
    });

    test("the same, while the connection is cut", async () => {
      const redis = await startRedis();
      const proxy = await startProxy(redis.port);
      const { counts, forgotten } = await follow(proxy.url);
      await publish(redis.client, "before");
      await expect.poll(() => forgotten).toEqual(["before"]);
      proxy.turnTo(9);
      proxy.cut();
      await publish(redis.client, "lost");
      await redis.client.flushall();
      await publish(redis.client, "after");
      proxy.turnTo(redis.port);
      await expect.poll(() => forgotten).toEqual(["before", "after"]);
      expect(counts.gaps).toBe(1);
    });

    test("a restart of a server that stores nothing, and of one that stores", async () => {
      for (const options of [
        [],
        ["--appendonly", "yes", "--appendfsync", "always", "--appenddirname", "aof"],
      ]) {
        const dir = `/tmp/redis-${process.pid}-${options.length}`;
        mkdirSync(dir, { recursive: true });
        onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
        const redis = await startRedis(undefined, ...options, "--dir", dir);
        const { counts, forgotten, lines } = await follow(urlOf(redis));
        await stopRedis(redis);
        const again = await startRedis(redis.port, ...options, "--dir", dir);
        await publish(again.client, "after");
        await expect.poll(() => forgotten).toEqual(["after"]);
        expect(counts.gaps).toBe(1);
        expect(lines.join()).toMatch(/restarted, or another one took over/);
      }
    });

    test("a failover that loses an acknowledged entry, although the last entry that was read is there", async () => {
      const master = await startRedis();
      const replica = await startRedis();
      await replica.client.replicaof("127.0.0.1", master.port);
      await expect
        .poll(async () => /master_link_status:up/.test(await replica.client.info("replication")))
        .toBe(true);
      const proxy = await startProxy(master.port);
      const { counts, forgotten, told } = await follow(proxy.url);
      await publish(master.client, "before");
      await expect.poll(() => replica.client.xlen(revocationStream)).toBeGreaterThan(1);
      await expect.poll(() => forgotten).toEqual(["before"]);
      proxy.turnTo(9);
      proxy.cut();
      await replica.client.replicaof("NO", "ONE"); // the replica does not get what follows
      await publish(master.client, "lost");
      await stopRedis(master);
      proxy.turnTo(replica.port);
      await expect.poll(() => counts.gaps).toBe(1);
      await expect.poll(() => told.misses).toBe(2);
      await publish(replica.client, "after");
      await expect.poll(() => forgotten.at(-1)).toBe("after");
    });

    test("a failover to a server with lower ids: its revocations count as well", async () => {
      const one = await startRedis();
      const other = await startRedis();
      await publish(one.client, "far", `${Date.now() + 3_600_000}-0`); // its clock is an hour ahead
      const proxy = await startProxy(one.port);
      const { counts, forgotten } = await follow(proxy.url);
      expect(forgotten).toEqual(["far"]);
      await publish(one.client, "next"); // ids never go back
      await expect.poll(() => forgotten).toEqual(["far", "next"]);
      await publish(other.client, "low");
      proxy.turnTo(other.port);
      proxy.cut();
      await expect.poll(() => forgotten.at(-1)).toBe("low");
      expect(counts.gaps).toBe(1);
    });
  });

  test.each<[string, RegExp, (redis: RedisServer) => Promise<unknown>]>([
    ["becomes a replica", /READONLY|REPLICA/, ({ client }) => client.replicaof("127.0.0.1", 9)],
    [
      "has no replica that it must have",
      /NOREPLICAS/,
      ({ client }) => client.config("SET", "min-replicas-to-write", "1"),
    ],
    ["has no memory left", /OOM/, ({ client }) => client.config("SET", "maxmemory", "1")],
    [
      "has another value under the name",
      /WRONGTYPE/,
      ({ client }) => client.multi().del(revocationStream).set(revocationStream, "x").exec(),
    ],
    ["stops", /ECONNREFUSED/, stopRedis],
  ])("a server that %s is not one whose log is current", async (_what, cause, fault) => {
    const redis = await startRedis();
    const { follower, lines } = await follow(urlOf(redis), 100);
    await fault(redis);
    await expect.poll(() => follower.isCurrent, { timeout: 20_000 }).toBe(false);
    await expect.poll(() => lines.at(-1), { timeout: 20_000 }).toMatch(cause);
    await sleep(3_000);
    expect(follower.isCurrent).toBe(false);
  });

  test("a user with the commands of docs/guides/operating.md can follow and count", async () => {
    const redis = await startRedis();
    const page = readFileSync(new URL("../../../docs/guides/operating.md", import.meta.url), "utf8");
    const rules = /`(~restbound:\* [^`]+)`/.exec(page)?.[1]?.split(" ") ?? [];
    await redis.client.call("ACL", "SETUSER", "gateway", "on", ">word", ...rules);
    const url = urlOf(redis).replace("//", "//gateway:word@");
    const { counts, forgotten } = await follow(url);
    const writer = await openRevocationLog(new URL(url));
    onTestFinished(writer.close);
    await writer.append("a");
    await expect.poll(() => forgotten).toEqual(["a"]);
    expect(counts.gaps).toBe(0);
    const rates = await createRedisRateStore(() => new URL(url), { warn: () => {} } as never);
    onTestFinished(rates.close);
    await expect.poll(() => rates.count("a")).toMatchObject({ current: 1 });
  });

  test("a user who may not ask for INFO can follow; each new connection counts as a loss", async () => {
    const redis = await startRedis();
    await redis.client.call("ACL", "SETUSER", "gateway", "on", ">word", "~restbound:*", "+@all", "-info");
    const proxy = await startProxy(redis.port);
    const { counts, forgotten } = await follow(proxy.url.replace("//", "//gateway:word@"));
    await publish(redis.client, "a");
    await expect.poll(() => forgotten).toEqual(["a"]);
    expect(counts.gaps).toBe(0);
    proxy.cut();
    await expect.poll(() => counts.gaps).toBe(1);
  });

  test("a bulk of revocations arrives whole", async () => {
    const redis = await startRedis();
    const { forgotten, counts } = await follow(urlOf(redis));
    const many = redis.client.pipeline();
    for (let index = 0; index < 5_000; index++)
      many.xadd(revocationStream, "MAXLEN", "~", 10_000, "*", "key", `${index}`);
    await many.exec();
    await expect.poll(() => forgotten.length).toBe(5_000);
    expect(counts.gaps).toBe(0);
  });

  test("many gateways write the heartbeats of one", async () => {
    const redis = await startRedis();
    const gateways = await Promise.all(Array.from({ length: 20 }, () => follow(urlOf(redis))));
    const before = await redis.client.xlen(revocationStream);
    await sleep(12_000);
    const beats = (await redis.client.xlen(revocationStream)) - before;
    expect(beats).toBeGreaterThanOrEqual(2);
    expect(beats).toBeLessThanOrEqual(12);
    for (const { follower, counts } of gateways) expect([follower.isCurrent, counts.gaps]).toEqual([true, 0]);
  });

  test("the log stays bounded", async () => {
    const redis = await startRedis();
    const writer = await openRevocationLog(new URL(urlOf(redis)));
    onTestFinished(writer.close);
    for (let index = 0; index < revocationLog.entries * 1.2; index++) await writer.append(`key_${index}`);
    expect(await redis.client.xlen(revocationStream)).toBeLessThan(revocationLog.entries + 1_000);
    expect(await redis.client.memory("USAGE", revocationStream)).toBeLessThan(1_000_000);
  });
});

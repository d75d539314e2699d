/**
 * Two gateways with a Redis cluster, and with Redis behind Sentinel: limits count once, a revocation reaches both, and a failover
 * under load fails no request and loses no revocation for longer than KEY_UNCONFIRMED_MS.
 */
import dns from "node:dns";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openRevocationLog } from "../../../src/engine/gateway/revocation-log.ts";
import { parseRedisAddress } from "../../../src/engine/runtime/settings/redis-address.ts";
import { contextOf, goodKey, makeKey } from "../../engine/gateway/fakes.ts";
import { redisServer, stopRedis } from "../../engine/gateway/redis.ts";
import { type Started, startGateway } from "../../engine/gateway/start.ts";
import { call } from "../../engine/gateway/verify.ts";
import { startCluster, startSentinels } from "./redis-groups.ts";

const unconfirmedMs = 30_000;
const otherKeys = Array.from({ length: 30 }, (_, index) => makeKey(`other${index}x`));

async function twoGateways(REDIS_URL: string, env: NodeJS.ProcessEnv = {}): Promise<[Started, Started]> {
  const settings = { NODE_ENV: "production", KEY_CACHE_MS: "600000", RATE_LIMIT_PER_ADDRESS: "1000000" };
  const start = async (): Promise<Started> => {
    const started = await startGateway({
      env: { ...settings, RATE_LIMIT_PER_KEY: "1000000", REDIS_URL, ...env },
    });
    for (const key of otherKeys) started.keys.answers.set(key, contextOf(key.slice(8, 18)));
    await expect.poll(() => started.gateway.shared?.revocations.isCurrent).toBe(true);
    await expect.poll(() => started.gateway.shared?.rates.isUp()).toBe(true);
    return started;
  };
  return [await start(), await start()];
}

/** Asks both gateways with many keys, until it is ended. Returns the statuses, and how long the slowest request took. */
function load(gateways: readonly Started[]) {
  const result = { statuses: new Map<number, number>(), slowestMs: 0 };
  let isEnded = false;
  const callers = gateways.flatMap(({ url }) =>
    otherKeys.slice(0, 8).map(async (_, at) => {
      for (let turn = at; !isEnded; turn++) {
        const began = performance.now();
        const { status } = await call(url, otherKeys[turn % otherKeys.length] ?? "");
        result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1);
        result.slowestMs = Math.max(result.slowestMs, performance.now() - began);
        await sleep(20);
      }
    }),
  );
  const end = async () => {
    isEnded = true;
    await Promise.all(callers);
    return result;
  };
  onTestFinished(async () => void (await end()));
  return end;
}

/** As the outbox of a key store does: until Redis takes it. */
async function publish(url: string, id: string): Promise<void> {
  for (;;) {
    try {
      const log = await openRevocationLog(parseRedisAddress(url));
      try {
        return void (await log.append(id));
      } finally {
        log.close();
      }
    } catch {
      await sleep(200);
    }
  }
}

async function isRefusedWithin(ms: number, gateways: readonly Started[]): Promise<void> {
  const began = performance.now();
  for (const { url } of gateways)
    await expect
      .poll(async () => (await call(url, goodKey)).status, { timeout: 2 * ms, interval: 100 })
      .toBe(401);
  expect(performance.now() - began).toBeLessThan(ms);
}

async function expectOneCount(url: string): Promise<void> {
  const lookups = vi.spyOn(dns, "lookup");
  onTestFinished(() => lookups.mockRestore());
  const gateways = await twoGateways(url, { RATE_LIMIT_PER_KEY: "10" });
  // keys of every node of a cluster
  for (const key of otherKeys.slice(0, 10)) {
    const statuses: number[] = [];
    for (let asked = 0; asked < 14; asked++)
      statuses.push((await call((gateways[asked % 2] as Started).url, key)).status);
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(4).fill(429)]);
  }
  // the names in `url` are looked up outside libuv's threads
  expect(lookups.mock.calls.filter(([name]) => name === "localhost")).toEqual([]);
}

async function expectRevocation(url: string): Promise<void> {
  const gateways = await twoGateways(url);
  for (const { url, keys } of gateways) {
    expect((await call(url, goodKey)).status).toBe(200);
    keys.answers.delete(goodKey);
  }
  await publish(url, "key-good");
  await isRefusedWithin(3_000, gateways);
}

/** `fail` ends the server that has the log. A key is revoked before another one has taken over. */
async function expectFailover(url: string, fail: () => Promise<void>): Promise<void> {
  const gateways = await twoGateways(url, { KEY_UNCONFIRMED_MS: String(unconfirmedMs) });
  for (const { url } of gateways)
    for (const key of [goodKey, ...otherKeys]) expect((await call(url, key)).status).toBe(200);
  const end = load(gateways);
  await sleep(3_000);
  await fail();
  for (const { keys } of gateways) keys.answers.delete(goodKey);
  const published = publish(url, "key-good");
  await isRefusedWithin(unconfirmedMs, gateways);
  await published;
  for (const { gateway } of gateways) {
    // the new server may lack acknowledged entries
    await expect.poll(() => gateway.shared?.revocations.counts.gaps, { timeout: 60_000 }).toBe(1);
    await expect.poll(() => gateway.shared?.revocations.counts.revocations, { timeout: 60_000 }).toBe(1);
  }
  await sleep(3_000);
  const { statuses, slowestMs } = await end();
  expect([...statuses.keys()]).toEqual([200]);
  expect(statuses.get(200)).toBeGreaterThan(300);
  expect(slowestMs).toBeLessThan(5_000);
  // both count together again
  for (const { gateway } of gateways)
    await expect.poll(() => gateway.shared?.rates.count("test"), { timeout: 60_000 }).toBeDefined();
}

describe.skipIf(!redisServer)("a cluster of three", { timeout: 600_000 }, () => {
  test("two gateways count together, whichever node has the key's count", async () => {
    await expectOneCount((await startCluster()).url);
  });

  test("a revocation reaches both gateways", async () => {
    await expectRevocation((await startCluster()).url);
  });

  test.each(["SIGKILL", "SIGSTOP"] as const)("the node of the log ends by %s under load", async (signal) => {
    const { masters, url } = await startCluster();
    const [host] = await ownerOfLog(masters);
    await expectFailover(url, async () => void host?.process.kill(signal));
  });

  test("its slot moves to another node: nothing is lost, and no request fails", async () => {
    const { masters, replicas, url } = await startCluster();
    const [host] = await ownerOfLog(masters);
    const replica = replicas[masters.findIndex(({ port }) => port === host?.port)];
    await expectFailover(url, async () => void (await replica?.client.cluster("FAILOVER")));
  });
});

/** The log's name has one slot, and so one master. */
async function ownerOfLog<Node extends { client: { xlen(name: string): Promise<number> } }>(
  masters: readonly Node[],
): Promise<Node[]> {
  const found = await Promise.all(
    masters.map(async (node) => {
      const isOwner = await node.client.xlen("restbound:revocations").then(
        () => true,
        () => false, // MOVED
      );
      return isOwner ? [node] : [];
    }),
  );
  return found.flat();
}

describe.skipIf(!redisServer)("Sentinel", { timeout: 600_000 }, () => {
  test("two gateways count together, and a revocation reaches both", async () => {
    const { url } = await startSentinels();
    await expectOneCount(url);
    await expectRevocation(url);
  });

  test("the master ends under load, and a replica takes over", async () => {
    const { servers, url } = await startSentinels();
    await expectFailover(url, async () => {
      if (servers[0]) await stopRedis(servers[0]);
    });
  });

  test("the master hangs under load, and a replica takes over", async () => {
    const { servers, url } = await startSentinels();
    await expectFailover(url, async () => void servers[0]?.process.kill("SIGSTOP"));
  });
});

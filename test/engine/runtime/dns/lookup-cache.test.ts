/** One lookup of a name at a time, whose addresses are used while the next one is slow or fails. */
import { isIPv6, type LookupFunction } from "node:net";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Lookup, LookupCache } from "../../../../src/engine/runtime/dns/lookup-cache.ts";
import type { Address, Resolution } from "../../../../src/engine/runtime/dns/stub-resolver.ts";
import { lookups } from "../../../../src/engine/runtime/settings/capacity.ts";

const listOf = (...addresses: string[]): Address[] =>
  addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));

/** Resolves by hand: each lookup that begins waits in `running`. */
function cacheByHand() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  type Running = {
    readonly name: string;
    /** The answer to one query: without addresses, there are none of its family. */
    readonly partial: (family: 4 | 6, ...addresses: string[]) => void;
    readonly answer: (ttlMs: number, ...addresses: string[]) => Promise<void>;
    /** An answer without the addresses of a family, whose lookup failed. */
    readonly answerWithout: (family: 4 | 6, ttlMs: number, ...addresses: string[]) => Promise<void>;
    /** No addresses; the lookups of some families failed, of both unless the name does not exist. */
    readonly fail: (code: string, ...families: (4 | 6)[]) => Promise<void>;
  };
  const running: Running[] = [];
  const cache = new LookupCache((name, onAnswer) => {
    const { promise, resolve } = Promise.withResolvers<Resolution>();
    const end = async (resolution: Partial<Resolution>) => {
      resolve({ name, addresses: [], ttlMs: 0, failed: [], ...resolution });
      await vi.advanceTimersByTimeAsync(0);
    };
    running.push({
      name,
      partial: (family, ...addresses) => onAnswer({ name, family, addresses: listOf(...addresses) }),
      answer: (ttlMs, ...addresses) => end({ addresses: listOf(...addresses), ttlMs }),
      answerWithout: (family, ttlMs, ...addresses) =>
        end({ addresses: listOf(...addresses), ttlMs, failed: [{ name, family }] }),
      fail: (code, ...families) => {
        const failed = families.length === 0 && code !== "ENOTFOUND" ? ([4, 6] as const) : families;
        return end({ code, failed: failed.map((family) => ({ name, family })) });
      },
    });
    return promise;
  });
  const ended: Lookup[] = [];
  cache.on("lookup", (lookup) => ended.push(lookup));
  /** The addresses, or the code of the failure. */
  const lookUp = (name = "crm", ms = 900, options: Parameters<LookupFunction>[1] = { all: true }) =>
    promisify(cache.within(ms))(name, options).then(
      (found) => (Array.isArray(found) ? found.map(({ address }) => address).join(" ") : String(found)),
      (error: NodeJS.ErrnoException) => error.code,
    );
  return { cache, running, ended, lookUp, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
}

describe("a lookup of which one family failed", () => {
  test("keeps the last addresses of that family, and is repeated after a second", async () => {
    const { running, lookUp, pass } = cacheByHand();
    const first = lookUp();
    await running[0]?.answer(1_000, "10.0.0.1", "fd00::1");
    await first;
    await pass(1_100);
    const second = lookUp();
    await running[1]?.answerWithout(4, 60_000, "fd00::2");
    expect(await second).toBe("fd00::2 10.0.0.1");
    await pass(1_100);
    const third = lookUp();
    await running[2]?.answer(60_000, "10.0.0.3");
    expect(await third).toBe("10.0.0.3");
  });
});

test("addresses of a family that keeps failing are used for a day, however often the other one answers", async () => {
  const { running, lookUp, pass } = cacheByHand();
  const first = lookUp();
  await running[0]?.answer(1_000, "10.0.0.1", "fd00::1");
  await first;
  for (let hour = 1; hour <= 25; hour++) {
    await pass(3_600_000);
    const next = lookUp();
    await running[hour]?.answerWithout(6, 60_000, "10.0.0.1");
    expect(await next).toBe(hour < 24 ? "10.0.0.1 fd00::1" : "10.0.0.1");
  }
});

describe("lookups", () => {
  test("of one name at the same time are one", async () => {
    const { running, lookUp } = cacheByHand();
    const all = Promise.all(Array.from({ length: 100 }, () => lookUp()));
    await running[0]?.answer(60_000, "10.0.0.1");
    expect(new Set(await all)).toEqual(new Set(["10.0.0.1"]));
    expect(running).toHaveLength(1);
  });

  test("of other names wait for none", async () => {
    const { running, lookUp } = cacheByHand();
    const silent = ["a", "b", "c", "d", "e"].map((name) => lookUp(name));
    const good = lookUp("good");
    await running[5]?.answer(60_000, "10.0.0.1");
    expect(await good).toBe("10.0.0.1");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await Promise.all(silent)).toEqual(Array(5).fill("ETIMEOUT"));
  });

  test("that hang fail each waiter in its own time, and serve those that come later", async () => {
    const { running, lookUp, pass } = cacheByHand();
    const first = lookUp("crm", 900);
    await pass(800);
    const second = lookUp("crm", 900);
    await pass(150);
    expect(await first).toBe("ETIMEOUT");
    await running[0]?.answer(60_000, "10.0.0.1");
    expect(await second).toBe("10.0.0.1");
    expect(running).toHaveLength(1);
  });

  test.each([
    ["0 s", 0, lookups.leastMs],
    ["5 s", 5_000, 5_000],
    ["a day", 86_400_000, lookups.mostMs],
  ])("are made again after a TTL of %s", async (_, ttlMs, expected) => {
    const { running, lookUp, pass } = cacheByHand();
    const first = lookUp();
    await running[0]?.answer(ttlMs, "10.0.0.1");
    await first;
    await pass(expected - 10);
    expect(await lookUp()).toBe("10.0.0.1");
    expect(running).toHaveLength(1);
    await pass(20);
    const changed = lookUp();
    await running[1]?.answer(ttlMs, "10.0.0.2");
    expect(await changed).toBe("10.0.0.2");
  });

  test("are made again after a connection has failed, a second later at the earliest", async () => {
    const { cache, running, lookUp, pass } = cacheByHand();
    const first = lookUp();
    await running[0]?.answer(30_000, "10.0.0.1");
    await first;
    cache.expire("crm");
    cache.expire("nobody");
    expect(await lookUp()).toBe("10.0.0.1");
    expect(running).toHaveLength(1);
    await pass(1_000);
    const changed = lookUp();
    await running[1]?.answer(30_000, "10.0.0.2");
    expect(await changed).toBe("10.0.0.2");
  });

  test("that fail are reported, with the addresses that remain", async () => {
    const { running, ended, lookUp, pass } = cacheByHand();
    void lookUp();
    await pass(20);
    await running[0]?.answer(0, "10.0.0.1", "10.0.0.2");
    await pass(1_000);
    void lookUp();
    await running[1]?.fail("ESERVFAIL");
    await pass(1_000);
    void lookUp();
    await running[2]?.fail("ENOTFOUND");
    expect(ended).toEqual([
      { name: "crm", ms: 20, code: undefined, addresses: 2 },
      { name: "crm", ms: 0, code: "ESERVFAIL", addresses: 2 },
      { name: "crm", ms: 0, code: "ENOTFOUND", addresses: 0 },
    ]);
  });
});

describe("addresses from before", () => {
  async function expired() {
    const hand = cacheByHand();
    const first = hand.lookUp();
    await hand.running[0]?.answer(1_000, "10.0.0.1");
    await first;
    await hand.pass(1_000);
    return hand;
  }

  test("are used after a moment while the next lookup hangs, and at once by those that come later", async () => {
    const { running, lookUp, pass } = await expired();
    const waits = lookUp();
    await pass(lookups.staleAfterMs + 10);
    expect(await waits).toBe("10.0.0.1");
    expect(await Promise.all([lookUp(), lookUp()])).toEqual(["10.0.0.1", "10.0.0.1"]);
    expect(running).toHaveLength(2);
    await running[1]?.answer(30_000, "10.0.0.2");
    expect(await lookUp()).toBe("10.0.0.2");
  });

  test.each(["ETIMEOUT", "ESERVFAIL", "EREFUSED", "EAI_AGAIN"])("are used on after %s", async (code) => {
    const { running, lookUp, pass } = await expired();
    for (let lookup = 1; lookup < 20; lookup++) {
      const found = lookUp();
      await running[lookup]?.fail(code);
      expect(await found).toBe("10.0.0.1");
      expect(await lookUp()).toBe("10.0.0.1"); // without a lookup
      expect(running).toHaveLength(lookup + 1);
      await pass(1_000);
    }
  });

  test("are not used once the name does not exist, for that is an answer", async () => {
    const { running, lookUp, pass } = await expired();
    const found = lookUp();
    await running[1]?.fail("ENOTFOUND");
    expect(await found).toBe("ENOTFOUND");
    expect(await lookUp()).toBe("ENOTFOUND");
    expect(running).toHaveLength(2);
    await pass(1_000);
    const again = lookUp();
    await running[2]?.answer(30_000, "10.0.0.3");
    expect(await again).toBe("10.0.0.3");
  });

  test("are replaced as soon as one family has new ones, while the other family's query is unanswered", async () => {
    const { running, lookUp, pass } = cacheByHand();
    const first = lookUp();
    await running[0]?.answer(1_000, "10.0.0.1", "fd00::1");
    await first;
    await pass(1_000);
    const changed = lookUp();
    running[1]?.partial(4, "10.0.0.2");
    expect(await changed).toBe("10.0.0.2 fd00::1");
    await running[1]?.answer(30_000, "10.0.0.2", "fd00::2");
    expect(await lookUp()).toBe("10.0.0.2 fd00::2");
    expect(running).toHaveLength(2);
  });

  test.each([4, 6] as const)(
    "of family %i are not used once the name has none, even if the other query fails",
    async (family) => {
      const [own, others] = family === 4 ? ["10.0.0.1", "fd00::1"] : ["fd00::1", "10.0.0.1"];
      for (const isLate of [false, true]) {
        const { running, lookUp, pass } = cacheByHand();
        const first = lookUp();
        await running[0]?.answer(1_000, own, others);
        await first;
        await pass(1_000);
        const next = lookUp();
        if (isLate) {
          running[1]?.partial(family);
          await pass(lookups.staleAfterMs + 10);
          expect(await next).toBe(others);
        }
        await running[1]?.fail("ESERVFAIL", family === 4 ? 6 : 4);
        expect(await next).toBe(others);
        await pass(1_000);
        const denied = lookUp();
        await running[2]?.fail("ESERVFAIL", family);
        expect(await denied).toBe("ESERVFAIL"); // by now both families have been denied once
        vi.useRealTimers();
      }
    },
  );

  test("of another name of the search list are not used beside new ones", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const resolutions: Resolution[] = [
      { name: "crm.a", addresses: listOf("10.0.0.1", "fd00::1"), ttlMs: 0, failed: [] },
      { name: "crm.b", addresses: listOf("10.0.0.2"), ttlMs: 0, failed: [{ name: "crm.b", family: 6 }] },
    ];
    const cache = new LookupCache(async () => resolutions.shift() as Resolution);
    const lookUp = promisify(cache.within(900));
    await lookUp("crm", { all: true });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await lookUp("crm", { all: true })).toMatchObject([{ address: "10.0.0.2" }]);
  });

  test("are used for a day at most", async () => {
    const { running, lookUp } = await expired();
    vi.setSystemTime(0);
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + lookups.usableMs);
    onTestFinished(() => void vi.restoreAllMocks());
    const found = lookUp();
    await running[1]?.fail("ESERVFAIL");
    expect(await found).toBe("ESERVFAIL");
  });
});

describe("a connection", () => {
  test("begins with the next address of each family, so that all of them are tried", async () => {
    const { running, lookUp } = cacheByHand();
    const first = lookUp();
    await running[0]?.answer(60_000, "fd00::1", "fd00::2", "10.0.0.1", "10.0.0.2", "10.0.0.3");
    expect(await first).toBe("fd00::1 fd00::2 10.0.0.1 10.0.0.2 10.0.0.3");
    expect(await lookUp()).toBe("fd00::2 fd00::1 10.0.0.2 10.0.0.3 10.0.0.1");
    expect(await lookUp()).toBe("fd00::1 fd00::2 10.0.0.3 10.0.0.1 10.0.0.2");
  });

  test("may want one family, or one address", async () => {
    const { running, lookUp } = cacheByHand();
    const first = lookUp("crm", 900, { all: true, family: 4 });
    await running[0]?.answer(60_000, "fd00::1", "10.0.0.1");
    expect(await first).toBe("10.0.0.1");
    expect(await lookUp("crm", 900, { all: true, family: "IPv6" })).toBe("fd00::1");
    expect(await lookUp("crm", 900, {})).toBe("fd00::1");
    const other = lookUp("ipv4", 900, { family: 6 });
    await running[1]?.answer(60_000, "10.0.0.1");
    expect(await other).toBe("ENOTFOUND");
  });

  test("begins with one family if the other one is late", async () => {
    const { running, lookUp } = cacheByHand();
    const first = lookUp();
    running[0]?.partial(4, "10.0.0.1");
    expect(await first).toBe("10.0.0.1");
    await running[0]?.answer(60_000, "10.0.0.1", "fd00::1");
    running[0]?.partial(4, "10.0.0.9"); // too late
    expect(await lookUp()).toContain("fd00::1");
    expect(running).toHaveLength(1);
  });
});

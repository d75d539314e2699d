/** Connections to upstreams by host name: no name waits for another one, and every address is tried. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Lookup, LookupCache } from "../../../../../src/engine/runtime/dns/lookup-cache.ts";
import { stubResolver } from "../../../../../src/engine/runtime/dns/stub-resolver.ts";
import { spreadPool } from "../../../../../src/engine/runtime/rest/upstream/spread-pool.ts";
import { upstreamConnector } from "../../../../../src/engine/runtime/rest/upstream/upstream-connector.ts";
import { readConfig } from "../../../../../src/engine/runtime/settings/config.ts";
import { machine, nameServer, type Zone } from "../../dns/name-server.ts";

const { env } = readConfig({ CONNECT_TIMEOUT_MS: "2000" }, []);

/** Answers with its own address. `closing`: a connection for each request. */
async function serverAt(address: string, port = 0, closing = true): Promise<Server & { port: number }> {
  const server = createServer((_request, response) => {
    if (closing) response.setHeader("connection", "close");
    response.end(address);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, address, resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

async function connections(zone: Zone, hosts = "", ttl = 60) {
  const dns = await nameServer(zone);
  dns.ttl = ttl;
  const names = new LookupCache(stubResolver(machine([dns.server], "search .\n", hosts)));
  const lookups: Lookup[] = [];
  names.on("lookup", (lookup) => lookups.push(lookup));
  const pools = new Map<string, ReturnType<typeof spreadPool>>();
  onTestFinished(async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))));
  /** The address that answers, or the code of the failure. */
  const ask = async (name: string, port: number): Promise<string> => {
    const origin = `http://${name}:${port}`;
    const pool =
      pools.get(origin) ?? spreadPool(origin, { connect: upstreamConnector(env, names), connections: 20 });
    pools.set(origin, pool);
    try {
      return await (await pool.request({ path: "/", method: "GET" })).body.text();
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? "";
    }
  };
  return { ask, dns, lookups };
}

describe("names whose name servers are silent", () => {
  test.each([1, 2, 3, 6])(
    "%i of them: others by DNS, in the hosts file, localhost and addresses answer",
    async (count) => {
      const { port } = await serverAt("127.0.0.1");
      const silent = Array.from({ length: count }, (_, index) => `silent${index}.example`);
      const zone = Object.fromEntries(silent.map((name) => [name, "silent"] as const));
      const { ask, dns, lookups } = await connections(
        { ...zone, "good.example": ["127.0.0.1"] },
        "127.0.0.1 known",
      );
      let haveFailed = false;
      const failures = Promise.all(
        silent.flatMap((name) => Array.from({ length: 10 }, () => ask(name, port))),
      );
      void failures.then(() => {
        haveFailed = true;
      });
      for (let turn = 0; turn < 5; turn++)
        for (const name of ["good.example", "known", "localhost", "127.0.0.1"])
          expect(await ask(name, port)).toBe("127.0.0.1");
      expect(haveFailed).toBe(false);
      expect(new Set(await failures)).toEqual(new Set(["ETIMEOUT"]));
      expect(lookups.map(({ name }) => name).sort()).toEqual(["good.example", "known", "localhost"]);
      // ten connections at a time to each of them, and one lookup
      for (const name of silent) {
        const questions = dns.asked.filter((question) => question === `A ${name}`);
        expect(questions.length).toBeLessThanOrEqual(4); // the tries of one query
      }
    },
  );

  test("serve from their last addresses, however long the name servers are silent", async () => {
    const { port } = await serverAt("127.0.0.1");
    const { ask, dns, lookups } = await connections({ crm: ["127.0.0.1"] }, "", 0);
    expect(await ask("crm", port)).toBe("127.0.0.1");
    dns.zone.crm = "silent";
    const until = performance.now() + 5_000;
    for (let slowest = 0; performance.now() < until; ) {
      const began = performance.now();
      expect(await ask("crm", port)).toBe("127.0.0.1");
      slowest = Math.max(slowest, performance.now() - began);
      expect(slowest).toBeLessThan(1_500); // 0.1 s for the lookup, on a busy machine
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(lookups).toMatchObject([{ code: undefined }, { code: "ETIMEOUT", addresses: 1 }]);
  });
});

test("a connection that stays open needs no further lookup", async () => {
  const { port } = await serverAt("127.0.0.1", 0, false);
  const { ask, lookups } = await connections({ crm: ["127.0.0.1"] }, "", 0);
  const until = performance.now() + 2_500; // longer than the addresses are fresh
  while (performance.now() < until) expect(await ask("crm", port)).toBe("127.0.0.1");
  expect(lookups).toHaveLength(1);
});

describe("a name that moves", () => {
  test("is reached at its new address once the old one refuses connections", async () => {
    const old = await serverAt("127.0.0.1");
    await serverAt("127.0.0.2", old.port);
    const { ask, dns } = await connections({ crm: ["127.0.0.1"] }, "", 3_600);
    expect(await ask("crm", old.port)).toBe("127.0.0.1");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    dns.zone.crm = ["127.0.0.2"];
    old.close();
    expect(await ask("crm", old.port)).toBe("127.0.0.2");
  });

  test("is reached at its new address after its TTL, while the old one still answers", async () => {
    const { port } = await serverAt("127.0.0.1");
    await serverAt("127.0.0.2", port);
    const { ask, dns } = await connections({ crm: ["127.0.0.1"] }, "", 1);
    expect(await ask("crm", port)).toBe("127.0.0.1");
    dns.zone.crm = ["127.0.0.2"];
    expect(await ask("crm", port)).toBe("127.0.0.1");
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect(await ask("crm", port)).toBe("127.0.0.2");
  });
});

describe("every address", () => {
  const hasIPv6 = Object.values(networkInterfaces()).some((own) =>
    own?.some(({ address }) => address === "::1"),
  );

  test("has its part of the connections", async () => {
    const { port } = await serverAt("127.0.0.1");
    for (const address of ["127.0.0.2", "127.0.0.3"]) await serverAt(address, port);
    const { ask } = await connections({ crm: ["127.0.0.1", "127.0.0.2", "127.0.0.3"] });
    const asked = Array.from({ length: 30 }, () => ask("crm", port));
    const counts = Object.groupBy(await Promise.all(asked), (address) => address);
    expect(Object.values(counts).map((of) => of?.length)).toEqual([10, 10, 10]);
  });

  test("is tried by each connection: one that refuses, and one that is silent, hide no other", async () => {
    const { port } = await serverAt("127.0.0.3");
    // no machine has an address of TEST-NET-1 (RFC 5737)
    const { ask } = await connections({ crm: ["127.0.0.1", "192.0.2.1", "127.0.0.3"] });
    for (let turn = 0; turn < 4; turn++) expect(await ask("crm", port)).toBe("127.0.0.3");
  });

  test.skipIf(!hasIPv6)(
    "may be IPv6 alone, or IPv6 beside an IPv4 address that refuses, and the other way round",
    async () => {
      const { port } = await serverAt("::1");
      await serverAt("127.0.0.2", port);
      const { ask } = await connections({
        ...{ six: ["::1"], both: ["::1", "127.0.0.1"], four: ["127.0.0.2", "fd00::1"] },
        ...{ half: ["::1"], "A half": "SERVFAIL" },
      });
      expect(await ask("six", port)).toBe("::1");
      expect(await ask("both", port)).toBe("::1");
      expect(await ask("half", port)).toBe("::1");
      expect(await ask("four", port)).toBe("127.0.0.2");
      expect(await ask("[::1]", port)).toBe("::1");
    },
  );
});

/** Names are resolved as glibc does with `hosts: files dns`, without its threads. */
import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { type Answer, stubResolver } from "../../../../src/engine/runtime/dns/stub-resolver.ts";
import { machine, nameServer, type Zone } from "./name-server.ts";

const ignore = (): void => {};
const addressesOf = async (resolve: ReturnType<typeof stubResolver>, name: string) =>
  (await resolve(name, ignore)).addresses.map(({ address }) => address).sort();

describe("the hosts file", () => {
  const hosts =
    "127.0.0.1 localhost # not a name\n::1\tLocalhost\n\n10.0.0.1 crm crm.example\n10.0.0.2 crm\nno address\n";

  test("comes before DNS, with all addresses of a name", async () => {
    const { server, asked } = await nameServer({}, "127.0.0.1");
    const resolve = stubResolver(machine([server], "", hosts));
    expect(await addressesOf(resolve, "crm")).toEqual(["10.0.0.1", "10.0.0.2"]);
    expect(await addressesOf(resolve, "CRM.example.")).toEqual(["10.0.0.1"]);
    expect(await addressesOf(resolve, "localhost")).toEqual(["127.0.0.1", "::1"]);
    expect(asked).toEqual([]);
  });

  test("is read again when it has changed", async () => {
    const { server } = await nameServer();
    const files = machine([server], "", hosts);
    const resolve = stubResolver(files);
    await resolve("crm", ignore);
    writeFileSync(files.hostsFile, "10.0.0.33 crm");
    expect(await addressesOf(resolve, "crm")).toEqual(["10.0.0.33"]);
    expect(await resolve("crm.example", ignore)).toMatchObject({ code: "ENOTFOUND" });
  });

  test("may be missing: names of loopback never reach a name server", async () => {
    const { server, asked } = await nameServer();
    const resolve = stubResolver({ ...machine([server]), hostsFile: "/no/such/file" });
    expect(await addressesOf(resolve, "localhost")).toEqual(["127.0.0.1", "::1"]);
    expect(await addressesOf(resolve, "crm.localhost")).toEqual(["127.0.0.1", "::1"]);
    expect(asked).toEqual([]);
  });
});

describe("the search list", () => {
  const cluster = "search shop.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5 edns0\n";
  const askedFor = async (resolvConf: string, name: string) => {
    const { server, asked } = await nameServer();
    expect(await stubResolver(machine([server], resolvConf))(name, ignore)).toMatchObject({
      code: "ENOTFOUND",
    });
    const names = asked.filter((question) => question.startsWith("A ")).map((question) => question.slice(2));
    return [...new Set(names)]; // c-ares sends a query again that a busy machine has not answered in 150 ms
  };

  test.each<[string, string, string, string[]]>([
    [
      "Kubernetes: a short name",
      cluster,
      "crm",
      ["crm.shop.svc.cluster.local", "crm.svc.cluster.local", "crm.cluster.local", "crm"],
    ],
    [
      "Kubernetes: a vendor's name",
      cluster,
      "api.example.com",
      [
        "api.example.com.shop.svc.cluster.local",
        "api.example.com.svc.cluster.local",
        "api.example.com.cluster.local",
        "api.example.com",
      ],
    ],
    ["a dot at the end", cluster, "api.example.com.", ["api.example.com"]],
    ["as many dots as ndots", "search a.test\n", "api.example", ["api.example", "api.example.a.test"]],
    ["ndots:0, as Docker writes it", "search a.test\noptions ndots:0\n", "crm", ["crm", "crm.a.test"]],
    ["the root, as systemd-resolved writes it", "search .\n", "crm", ["crm"]],
    ["the last of search and domain", "search a.test b.test\ndomain c.test\n", "crm", ["crm.c.test", "crm"]],
    ["comments", "# search a.test\n;search b.test\nsearch c.test\n", "crm", ["crm.c.test", "crm"]],
  ])("%s", async (_, resolvConf, name, expected) => {
    expect(await askedFor(resolvConf, name)).toEqual(expected);
  });

  test("ends with the first name that has addresses", async () => {
    const { server, asked } = await nameServer({ "crm.svc.cluster.local": ["10.0.0.1"], crm: ["10.0.0.9"] });
    expect(await addressesOf(stubResolver(machine([server], cluster)), "crm")).toEqual(["10.0.0.1"]);
    expect(asked).not.toContain("A crm");
  });

  test("goes on after a domain whose name servers fail", async () => {
    const dns = await nameServer({ "crm.a.test": "SERVFAIL", "crm.b.test": ["10.0.0.2"] });
    const resolve = stubResolver(machine([dns.server], "search a.test b.test\n"));
    expect(await addressesOf(resolve, "crm")).toEqual(["10.0.0.2"]);
  });

  test("ends after a domain that does not answer, but for the name itself", async () => {
    const dns = await nameServer({ "crm.a.test": "silent", "crm.b.test": ["10.0.0.2"], crm: ["10.0.0.9"] });
    const resolve = stubResolver(machine([dns.server], "search a.test b.test\noptions ndots:5\n"));
    expect(await addressesOf(resolve, "crm")).toEqual(["10.0.0.9"]);
    expect(dns.asked).not.toContain("A crm.b.test");
    delete dns.zone.crm;
    expect(await resolve("crm", ignore)).toMatchObject({ code: "ETIMEOUT" });
  });

  test("goes on at once after a name that does not exist, also if the queries for IPv6 are dropped", async () => {
    const dns = await nameServer({ "AAAA crm.a.test": "silent", crm: ["10.0.0.9"] });
    const began = performance.now();
    const resolve = stubResolver(machine([dns.server], "search a.test\n"));
    expect(await addressesOf(resolve, "crm")).toEqual(["10.0.0.9"]);
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  test("goes on after an alias without addresses", async () => {
    const dns = await nameServer({ "crm.a.test": ["CNAME"], "crm.b.test": ["CNAME", "10.0.0.2"] });
    const resolve = stubResolver(machine([dns.server], "search a.test b.test\n"));
    expect(await addressesOf(resolve, "crm")).toEqual(["10.0.0.2"]);
  });
});

describe("both families", () => {
  test("are asked at once, and the shorter TTL counts", async () => {
    const dns = await nameServer({ crm: ["10.0.0.1", "10.0.0.2", "fd00::1"] });
    dns.ttl = 7;
    const answer = await stubResolver(machine([dns.server]))("crm", ignore);
    expect(answer.ttlMs).toBe(7_000);
    expect(new Set(answer.addresses.map(({ address }) => address))).toEqual(
      new Set(["10.0.0.1", "10.0.0.2", "fd00::1"]),
    );
    expect(dns.asked.sort()).toEqual(["A crm", "AAAA crm"]);
  });

  test.each([["10.0.0.1"], ["fd00::1"]])("one is enough: %s", async (address) => {
    const dns = await nameServer({ crm: [address] });
    expect(await addressesOf(stubResolver(machine([dns.server])), "crm")).toEqual([address]);
  });

  test.each<[string, Zone]>([
    ["an alias with IPv4 addresses only", { crm: ["CNAME", "10.0.0.1"] }],
    ["a server that denies a name without IPv6 addresses", { "A crm": ["10.0.0.1"] }],
  ])("%s: one is enough", async (_, zone) => {
    const dns = await nameServer(zone);
    const { addresses, failed } = await stubResolver(machine([dns.server]))("crm", ignore);
    expect([addresses, failed]).toEqual([[{ address: "10.0.0.1", family: 4 }], []]);
  });

  test.each([
    ["silent", "ETIMEOUT"],
    ["SERVFAIL", "ESERVFAIL"],
  ] as const)(
    "no address of one, and the other %s, also behind an alias: one failed",
    async (fault, code) => {
      for (const known of [["CNAME"], []]) {
        const answers: Answer[] = [];
        const dns = await nameServer({ "AAAA crm": known, "A crm": fault });
        const resolution = await stubResolver(machine([dns.server]))("crm", (answer) => answers.push(answer));
        expect(resolution).toMatchObject({ addresses: [], failed: [{ name: "crm", family: 4 }], code });
        if (fault === "silent") expect(answers).toEqual([{ name: "crm", family: 6, addresses: [] }]);
      }
    },
  );

  test("a name that does not exist is no failure, also if the lookup of its IPv6 addresses fails", async () => {
    const dns = await nameServer({ "AAAA crm": "SERVFAIL" });
    const resolve = stubResolver(machine([dns.server]));
    expect(await resolve("crm", ignore)).toMatchObject({ code: "ENOTFOUND", failed: [] });
  });

  test("a server that denies the name only for IPv6 says nothing of its IPv4 addresses", async () => {
    const dns = await nameServer({ "A crm": "SERVFAIL" });
    expect(await stubResolver(machine([dns.server]))("crm", ignore)).toMatchObject({
      code: "ESERVFAIL",
      failed: [{ name: "crm", family: 4 }],
    });
  });

  test.each([
    [4, "A crm", "fd00::1"],
    [6, "AAAA crm", "10.0.0.1"],
  ] as const)(
    "a failure of family %i is told beside the addresses of the other",
    async (family, question, address) => {
      const dns = await nameServer({ crm: [address], [question]: "SERVFAIL" });
      const { addresses, failed } = await stubResolver(machine([dns.server]))("crm", ignore);
      expect([addresses.map((found) => found.address), failed]).toEqual([
        [address],
        [{ name: "crm", family }],
      ]);
    },
  );

  test.each([
    ["10.0.0.1", "AAAA crm", 4, 6],
    ["fd00::1", "A crm", 6, 4],
  ] as const)(
    "one whose queries are dropped delays %s by a moment",
    async (address, question, family, late) => {
      const dns = await nameServer({ crm: [address], [question]: "silent" });
      const began = performance.now();
      const { promise, resolve: onAnswer } = Promise.withResolvers<Answer>();
      const whole = stubResolver(machine([dns.server]))("crm", onAnswer);
      expect(await promise).toEqual({ name: "crm", family, addresses: [{ address, family }] });
      const answeredMs = performance.now() - began;
      expect(await whole).toMatchObject({
        addresses: [{ address }],
        failed: [{ name: "crm", family: late }],
      });
      // the dropped query is waited for, and the answered one is not held back by it
      expect(answeredMs).toBeLessThan((performance.now() - began) / 2);
    },
  );

  test("a domain that is skipped has not denied its addresses", async () => {
    const dns = await nameServer({ "crm.a.test": "silent", "crm.b.test": ["10.0.0.2"] });
    const { failed } = await stubResolver(machine([dns.server], "search a.test b.test\n"))("crm", ignore);
    expect(failed.map(({ name, family }) => `${name} ${family}`)).toEqual([
      "crm.a.test 4",
      "crm.a.test 6",
      "crm.b.test 4",
      "crm.b.test 6",
    ]);
  });
});

describe("name servers", () => {
  test("that fail are followed by the next one", async () => {
    for (const failure of ["SERVFAIL", "REFUSED", "FORMERR", "NOTIMP"] as const) {
      const first = await nameServer({ crm: failure });
      const second = await nameServer({ crm: ["10.0.0.2"] }, "127.0.0.2");
      const resolve = stubResolver(machine([first.server, second.server]));
      expect(await addressesOf(resolve, "crm")).toEqual(["10.0.0.2"]);
    }
  });

  test("that are silent are followed by the next one, well within a second", async () => {
    const first = await nameServer({ crm: "silent" });
    const second = await nameServer({ crm: ["10.0.0.2"] }, "127.0.0.2");
    const began = performance.now();
    expect(await addressesOf(stubResolver(machine([first.server, second.server])), "crm")).toEqual([
      "10.0.0.2",
    ]);
    expect(performance.now() - began).toBeLessThan(900);
  });

  test.each([
    ["silent", "ETIMEOUT"],
    ["SERVFAIL", "ESERVFAIL"],
    ["REFUSED", "EREFUSED"],
  ] as const)("that are %s: %s", async (failure, code) => {
    const { server } = await nameServer({ crm: failure });
    expect(await stubResolver(machine([server]))("crm", ignore)).toMatchObject({ code });
  });

  test("that cannot be reached are not mistaken for a service that refuses connections", async () => {
    expect(await stubResolver(machine(["127.0.0.1:1"]))("crm", ignore)).toMatchObject({
      code: "EAI_AGAIN",
    });
  });

  test("may be slow", async () => {
    const dns = await nameServer({ crm: ["10.0.0.1"] });
    dns.delayMs = 700;
    expect(await addressesOf(stubResolver(machine([dns.server])), "crm")).toEqual(["10.0.0.1"]);
  });
});

test("what is no name of DNS does not exist", async () => {
  const { server } = await nameServer();
  const resolve = stubResolver(machine([server]));
  for (const name of ["a..b", "x".repeat(64), `${"x".repeat(60)}.`.repeat(5)])
    expect(await resolve(name, ignore)).toMatchObject({ code: "ENOTFOUND" });
});

test("a lookup that has ended keeps none of its results", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { server } = await nameServer({ "A crm.example": ["10.0.0.1"], "AAAA crm.example": [] });
  const resolve = stubResolver(machine([server]));
  const resultOfLookup = async () =>
    new WeakRef<object>((await resolve("crm.example", ignore)).addresses[0] ?? {});
  const results = await Promise.all(Array.from({ length: 5 }, resultOfLookup));
  const kept = (): number => {
    collect();
    return results.filter((result) => result.deref()).length;
  };
  await expect.poll(kept).toBe(0);
});

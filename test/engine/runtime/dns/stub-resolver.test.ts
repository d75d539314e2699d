/** Names are resolved as glibc does with `hosts: files dns`, without its threads. */
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Address, stubResolver } from "../../../../src/engine/runtime/dns/stub-resolver.ts";
import { machine, nameServer } from "./name-server.ts";

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
    await expect(resolve("crm.example", ignore)).rejects.toMatchObject({ code: "ENOTFOUND" });
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
    await expect(stubResolver(machine([server], resolvConf))(name, ignore)).rejects.toMatchObject({
      code: "ENOTFOUND",
    });
    return asked.filter((question) => question.startsWith("A ")).map((question) => question.slice(2));
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

  test("goes on after a domain whose name servers fail, and not after one that does not answer", async () => {
    const dns = await nameServer({ "crm.a.test": "SERVFAIL", "crm.b.test": ["10.0.0.2"] });
    const resolve = stubResolver(machine([dns.server], "search a.test b.test\n"));
    expect(await addressesOf(resolve, "crm")).toEqual(["10.0.0.2"]);
    dns.zone["crm.a.test"] = "silent";
    await expect(resolve("crm", ignore)).rejects.toMatchObject({ code: "ETIMEOUT" });
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

  test("one whose queries are dropped delays the other by a moment", async () => {
    const dns = await nameServer({ crm: ["10.0.0.1"], "AAAA crm": "silent" });
    const began = performance.now();
    const { promise, resolve: onPartial } = Promise.withResolvers<readonly Address[]>();
    const whole = stubResolver(machine([dns.server]))("crm", onPartial);
    expect(await promise).toEqual([{ address: "10.0.0.1", family: 4 }]);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect((await whole).addresses).toEqual([{ address: "10.0.0.1", family: 4 }]);
  });
});

describe("name servers", () => {
  test("that fail are followed by the next one", async () => {
    for (const failure of ["SERVFAIL", "REFUSED"] as const) {
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
    await expect(stubResolver(machine([server]))("crm", ignore)).rejects.toMatchObject({ code });
  });

  test("that nobody reaches are not taken for a service that refuses connections", async () => {
    await expect(stubResolver(machine(["127.0.0.1:1"]))("crm", ignore)).rejects.toMatchObject({
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
    await expect(resolve(name, ignore)).rejects.toMatchObject({ code: "ENOTFOUND" });
});

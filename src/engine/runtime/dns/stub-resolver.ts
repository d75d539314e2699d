/**
 * A stub resolver over c-ares. Resolves host names like glibc with `hosts: files dns`: first the hosts file (hosts(5)), then DNS
 * with the search list and `ndots` of resolv.conf(5). `getaddrinfo` is not used, because it runs on libuv's thread pool, where
 * two hanging lookups block the lookups of all other names.
 */
import { lookup, Resolver } from "node:dns/promises";
import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

export type Address = { readonly address: string; readonly family: 4 | 6 };
/** A DNS query for the addresses of one family of a fully qualified name. */
export type Query = { readonly name: string; readonly family: 4 | 6 };
/** The answer to one query. An empty list means that the name has no address of that family (NODATA, RFC 2308 §2.2). */
export type Answer = Query & { readonly addresses: readonly Address[] };

export type Resolution = {
  /** The fully qualified name with these addresses. */
  readonly name: string;
  /** Preferred addresses first. */
  readonly addresses: readonly Address[];
  readonly ttlMs: number;
  /** The failed queries. For all other names and families, `addresses` is complete. */
  readonly failed: readonly Query[];
  /** Set if no address was found: `ENOTFOUND`, `EAI_AGAIN`, or the error code from the name servers, such as `ETIMEOUT`. */
  readonly code?: string;
};

/** Resolves all addresses of a name. If the answer for one family is late, calls `onAnswer` with the answer for the other. */
export type Resolve = (name: string, onAnswer: (answer: Answer) => void) => Promise<Resolution>;

export type ResolverFiles = {
  readonly hostsFile: string;
  readonly resolvConf: string;
  /** Name servers (`address:port`) that replace those of the system's resolv.conf. */
  readonly servers?: readonly string[];
};

/** `onAnswer` is called if the other family's answer is this much later ("Resolution Delay" of RFC 8305 §3). */
const resolutionDelayMs = 50;

/** How long a lookup with addresses of one family waits for the other family. The next lookup queries that family again. */
const lateFamilyMs = 1_000;

/**
 * A query is sent up to four times to each name server. Node checks c-ares' timeouts late: a single server is queried after 0,
 * 0.4, 0.8 and 1.6 s and fails after 2.5 to 3.2 s; of three, the third is first queried after 0.6 s (measured, Node 24.21).
 */
const retries = { timeout: 150, tries: 4, maxTimeout: 1_000 };

const hostsFileTtlMs = 5_000;

const families = [4, 6] as const;

const loopback: readonly Address[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

export const systemFiles: ResolverFiles = { hostsFile: "/etc/hosts", resolvConf: "/etc/resolv.conf" };

export function stubResolver(files: ResolverFiles): Resolve {
  const hosts = hostsFileReader(files.hostsFile);
  return async (given, onAnswer) => {
    const name = given.toLowerCase();
    const absolute = name.replace(/\.$/, "");
    const localAddresses = hosts().get(absolute) ?? (isLocalhost(absolute) ? loopback : undefined);
    if (localAddresses)
      return { name: absolute, addresses: byPreference(localAddresses), ttlMs: hostsFileTtlMs, failed: [] };
    let code = "ENOTFOUND";
    let isUnanswered = false;
    const failed: Query[] = [];
    for (const candidate of candidates(name, readSearch(files.resolvConf))) {
      // like glibc: after a name without an answer, the remaining names of the search list are skipped
      if (isUnanswered && candidate !== absolute) {
        failed.push(...families.map((family) => ({ name: candidate, family })));
        continue;
      }
      const resolution = await resolveQualified(candidate, files.servers, onAnswer);
      if (resolution.code === undefined) return resolution;
      failed.push(...resolution.failed);
      if (resolution.code !== "ENOTFOUND") code = resolution.code;
      isUnanswered ||= resolution.code === "ETIMEOUT" || resolution.code === "EAI_AGAIN";
    }
    return { name: absolute, addresses: [], ttlMs: 0, failed, code };
  };
}

/** The operating system's resolver, for systems other than Linux. */
export const systemResolver: Resolve = async (name) => {
  try {
    const found = await lookup(name, { all: true });
    return { name, addresses: found as Address[], ttlMs: hostsFileTtlMs, failed: [] };
  } catch (error) {
    const { code = "EAI_AGAIN" } = error as NodeJS.ErrnoException;
    const failed = code === "ENOTFOUND" ? [] : families.map((family) => ({ name, family }));
    return { name, addresses: [], ttlMs: 0, failed, code };
  }
};

/** Whether the name must never be sent to a name server (RFC 6761 §6.3). */
const isLocalhost = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");

async function resolveQualified(
  name: string,
  servers: readonly string[] | undefined,
  onAnswer: (answer: Answer) => void,
): Promise<Resolution> {
  const done = new AbortController();
  const ipv4 = query(name, 4, servers, done.signal);
  const ipv6 = query(name, 6, servers, done.signal);
  const announce = async (family: 4 | 6, result: Promise<Result>): Promise<void> => {
    const found = await result;
    if (typeof found === "string" && !isNoAddress(found)) return;
    await sleep(resolutionDelayMs);
    if (!done.signal.aborted)
      onAnswer({ name, family, addresses: typeof found === "string" ? [] : found.addresses });
  };
  void announce(4, ipv4);
  void announce(6, ipv6);
  const results = await Promise.all([
    Promise.race([ipv4, afterAddresses(ipv6)]),
    Promise.race([ipv6, afterAddresses(ipv4), afterNoSuchName(ipv4)]),
  ]);
  done.abort();
  const found = results.filter((result) => typeof result !== "string");
  const failures =
    results[0] === "ENOTFOUND"
      ? []
      : families.flatMap((family, at) => {
          const code = results[at];
          return typeof code === "string" && !isNoAddress(code) ? [{ query: { name, family }, code }] : [];
        });
  return {
    name,
    addresses: byPreference(found.flatMap(({ addresses }) => addresses)),
    ttlMs: Math.min(...found.map(({ ttlMs }) => ttlMs)),
    failed: failures.map((failure) => failure.query),
    ...(found.length === 0 && { code: failures[0]?.code ?? "ENOTFOUND" }),
  };
}

/** Resolves with a failure for a late family, `lateFamilyMs` after the addresses of the other family. */
async function afterAddresses(other: Promise<Result>): Promise<string> {
  return typeof (await other) === "string" ? pending() : sleep(lateFamilyMs, "ETIMEOUT", { ref: false });
}

/** Returns a new promise each time: a shared one would retain everything that ever waited for it. */
const pending = (): Promise<never> => new Promise(() => {});

/**
 * A name that does not exist has no addresses of either family (RFC 8020), so the lookup does not wait for an unanswered IPv6
 * query. Only the IPv4 answer counts, because some servers answer the IPv6 query of an existing name with NXDOMAIN (RFC 4074
 * §4.2).
 */
async function afterNoSuchName(ipv4: Promise<Result>): Promise<string> {
  return (await ipv4) === "ENOTFOUND" ? sleep(resolutionDelayMs, "ENOTFOUND") : pending();
}

const isNoAddress = (code: string): boolean => code === "ENOTFOUND" || code === "ENODATA";

/** Failures after which the next name server is asked, as glibc does. With Node's configuration, c-ares does not ask it. */
const serverFailures: ReadonlySet<unknown> = new Set([
  "ESERVFAIL",
  "EREFUSED",
  "ENOTIMP",
  "EFORMERR",
  "EBADRESP",
]);

/** Addresses, or an error code: `ENOTFOUND` if the name does not exist (NXDOMAIN), `ENODATA` if it has no address of the requested family. */
type Result = { readonly addresses: readonly Address[]; readonly ttlMs: number } | string;

/**
 * Queries the addresses of one family. Each query needs a new resolver: a name server that fails for one name is demoted for all
 * names of its resolver, and a resolver reads the system's configuration only when it is created.
 */
async function query(
  name: string,
  family: 4 | 6,
  servers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Result> {
  let others: readonly string[] = [];
  try {
    const resolver = new Resolver(retries);
    signal.addEventListener("abort", () => resolver.cancel());
    if (servers) resolver.setServers(servers);
    others = resolver.getServers().slice(1);
    const records = await (family === 4
      ? resolver.resolve4(name, { ttl: true })
      : resolver.resolve6(name, { ttl: true }));
    if (records.length === 0) return "ENODATA"; // Node reports no error for NODATA behind a CNAME (RFC 2308 §2.2)
    return {
      addresses: records.map(({ address }) => ({ address, family })),
      ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000,
    };
  } catch (error) {
    const { code = "EAI_AGAIN" } = error as NodeJS.ErrnoException;
    if (serverFailures.has(code) && others.length > 0 && !signal.aborted)
      return query(name, family, others, signal);
    if (code === "EBADNAME") return "ENOTFOUND";
    // ECONNREFUSED would suggest that the service refused the connection, not the name server
    return code === "ECONNREFUSED" ? "EAI_AGAIN" : code;
  }
}

type Search = { readonly domains: readonly string[]; readonly ndots: number };

/**
 * Reads `search`, `domain` and `ndots` of resolv.conf(5). If there are several search lists, the last one is used. The default
 * search list is the domain of the host name.
 */
function readSearch(file: string): Search {
  let domains = [hostname().replace(/^[^.]*\.?/, "")];
  let ndots = 1;
  for (const line of readLines(file)) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === "search") domains = values;
    if (keyword === "domain") domains = values.slice(0, 1);
    if (keyword !== "options") continue;
    for (const value of values) {
      const [, dots] = /^ndots:(\d+)$/.exec(value) ?? [];
      if (dots !== undefined) ndots = Math.min(Number(dots), 15);
    }
  }
  return { domains: domains.map((domain) => domain.toLowerCase().replace(/\.$/, "")), ndots };
}

/**
 * Returns the fully qualified names to query, in order. A name with at least `ndots` dots is queried before the names of the
 * search list, any other name after them. A name with a trailing dot is queried without the search list.
 */
function candidates(name: string, { domains, ndots }: Search): ReadonlySet<string> {
  if (name.endsWith(".")) return new Set([name.slice(0, -1)]);
  const searched = domains
    .map((domain) => (domain === "" ? name : `${name}.${domain}`))
    .filter((each) => each.length <= 253);
  const isFirst = name.split(".").length > ndots;
  return new Set(isFirst ? [name, ...searched] : [...searched, name]);
}

/** Returns a function that reads the hosts file again when the file has changed. An unreadable file counts as empty. */
function hostsFileReader(file: string): () => ReadonlyMap<string, readonly Address[]> {
  let lastStamp = "";
  let hosts = new Map<string, Address[]>();
  return () => {
    const stamp = stampOf(file);
    if (stamp === lastStamp) return hosts;
    lastStamp = stamp;
    hosts = new Map();
    for (const line of readLines(file)) {
      const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
      const family = isIP(address);
      if (family !== 4 && family !== 6) continue;
      for (const name of names) {
        const lower = name.toLowerCase();
        hosts.set(lower, [...(hosts.get(lower) ?? []), { address, family }]);
      }
    }
    return hosts;
  };
}

function stampOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return [mtimeMs, size, ino].join();
  } catch {
    return "unreadable";
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}

/**
 * Moves the IPv6 addresses to the front if this machine has an IPv6 address that is not link-local, and the IPv4 addresses
 * otherwise (RFC 6724 §6, rule 1: "Avoid unusable destinations"). A connection tries all addresses in this order.
 */
function byPreference(addresses: readonly Address[]): readonly Address[] {
  const prefersIPv6 = hasIPv6();
  const isFirst = ({ address, family }: Address): boolean =>
    (family === 6) === (prefersIPv6 || address === "::1");
  return [...addresses.filter(isFirst), ...addresses.filter((address) => !isFirst(address))];
}

function hasIPv6(): boolean {
  try {
    return Object.values(networkInterfaces())
      .flatMap((interfaces = []) => interfaces)
      .some((own) => own.family === "IPv6" && !own.internal && own.scopeid === 0);
  } catch {
    return false; // fails if a systemd unit forbids AF_NETLINK sockets
  }
}

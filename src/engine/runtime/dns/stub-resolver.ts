/**
 * A stub resolver over c-ares. It resolves host names like glibc with `hosts: files dns`: the hosts file (hosts(5)), then
 * DNS with the search list and `ndots` of resolv.conf(5). `getaddrinfo` would run on libuv's thread pool, where two hanging
 * lookups block the lookups of all other names.
 */
import { lookup, Resolver } from "node:dns/promises";
import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

export type Address = { readonly address: string; readonly family: 4 | 6 };
/** `addresses`: in the order of preference. `failedFamily`: its lookup failed, so that addresses of it may be missing. */
export type Resolution = {
  readonly addresses: readonly Address[];
  readonly ttlMs: number;
  readonly failedFamily?: 4 | 6;
};

/** Resolves all addresses of a name. Calls `onPartial` with one family's addresses if the other family's are late. */
export type Resolve = (
  name: string,
  onPartial: (addresses: readonly Address[]) => void,
) => Promise<Resolution>;

export type ResolverFiles = {
  readonly hostsFile: string;
  readonly resolvConf: string;
  /** Name servers (`address:port`) in place of those in the system's resolv.conf. */
  readonly servers?: readonly string[];
};

/** How long to wait for the second family once the first has answered: the "Resolution Delay" of RFC 8305 §3. */
const resolutionDelayMs = 50;

/**
 * A query is sent up to four times to each name server. Node checks c-ares' timeouts late: a single server is queried after 0,
 * 0.4, 0.8 and 1.6 s and fails after 2.5 to 3.2 s; of three, the third is first queried after 0.6 s (measured, Node 24.21).
 */
const retries = { timeout: 150, tries: 4, maxTimeout: 1_000 };

/** How long an entry of the hosts file is fresh. */
const hostsFileTtlMs = 5_000;

const loopback: readonly Address[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** `code` is `ENOTFOUND`, `EAI_AGAIN` or the code of the name servers' failure, such as `ETIMEOUT` or `ESERVFAIL`. */
export const unresolved = (name: string, code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${name}: ${code}`), { code });

export const systemFiles: ResolverFiles = { hostsFile: "/etc/hosts", resolvConf: "/etc/resolv.conf" };

export function stubResolver(files: ResolverFiles): Resolve {
  const hosts = hostsFileReader(files.hostsFile);
  return async (given, onPartial) => {
    const name = given.toLowerCase();
    const absolute = name.replace(/\.$/, "");
    const known = hosts().get(absolute) ?? (isLocalhost(absolute) ? loopback : undefined);
    if (known) return { addresses: byPreference(known), ttlMs: hostsFileTtlMs };
    let failure = "ENOTFOUND";
    let isUnanswered = false;
    for (const candidate of candidates(name, readSearch(files.resolvConf))) {
      // as in glibc: after a domain without an answer, only the name itself is queried
      if (isUnanswered && candidate !== absolute) continue;
      const answer = await addressesOf(candidate, files.servers, onPartial);
      if (typeof answer !== "string") return answer;
      if (answer !== "ENOTFOUND") failure = answer;
      isUnanswered ||= answer === "ETIMEOUT" || answer === "EAI_AGAIN";
    }
    throw unresolved(given, failure);
  };
}

/** The system's own resolver, for systems whose configuration is not in these two files. */
export const systemResolver: Resolve = async (name) => {
  const found = await lookup(name, { all: true });
  return { addresses: found as Address[], ttlMs: hostsFileTtlMs };
};

/** These names never reach a name server (RFC 6761 §6.3). */
const isLocalhost = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");

/** The addresses of one fully qualified name, or the code of the failure. */
async function addressesOf(
  name: string,
  servers: readonly string[] | undefined,
  onPartial: (addresses: readonly Address[]) => void,
): Promise<Resolution | string> {
  const [ipv4, ipv6] = [query(name, 4, servers), query(name, 6, servers)];
  for (const answer of [ipv4, ipv6])
    void answer.then((found) => {
      if (typeof found !== "string") setTimeout(onPartial, resolutionDelayMs, found.addresses);
    });
  const ipv6InTime = Promise.race([ipv6, ipv4.then(unlessNoSuchName)]);
  const answers = await Promise.all([ipv4, ipv6InTime]);
  const found = answers.filter((answer) => typeof answer !== "string");
  const failed = answers.findIndex((answer) => typeof answer === "string" && !isNoAddress(answer));
  if (found.length === 0)
    return failed < 0 || answers[0] === "ENOTFOUND" ? "ENOTFOUND" : (answers[failed] as string);
  return {
    addresses: byPreference(found.flatMap(({ addresses }) => addresses)),
    ttlMs: Math.min(...found.map(({ ttlMs }) => ttlMs)),
    ...(failed >= 0 && { failedFamily: failed === 0 ? 4 : 6 }),
  };
}

/**
 * A name that does not exist has no addresses of either family (RFC 8020), so a silent name server of its IPv6 addresses is not
 * waited for. Only the IPv4 answer counts: some servers deny a name that has no IPv6 address (RFC 4074 §4.2).
 */
const unlessNoSuchName = (ipv4: Resolution | string): Promise<string> =>
  ipv4 === "ENOTFOUND" ? sleep(resolutionDelayMs, "ENOTFOUND") : new Promise(() => {});

const isNoAddress = (code: string): boolean => code === "ENOTFOUND" || code === "ENODATA";

/** Failures of one name server, after which glibc asks the next one. c-ares does not, as Node configures it. */
const serverFailures: ReadonlySet<unknown> = new Set([
  "ESERVFAIL",
  "EREFUSED",
  "ENOTIMP",
  "EFORMERR",
  "EBADRESP",
]);

/**
 * Queries one family. `ENOTFOUND`: no such name (NXDOMAIN); `ENODATA`: the name has no address of the family. Each query uses a new resolver, because c-ares demotes a name server that failed for one name for all
 * names, and reads the system's configuration only when a resolver is created.
 */
async function query(
  name: string,
  family: 4 | 6,
  servers: readonly string[] | undefined,
): Promise<Resolution | string> {
  let others: readonly string[] = [];
  try {
    const resolver = new Resolver(retries);
    if (servers) resolver.setServers(servers);
    others = resolver.getServers().slice(1);
    const records = await (family === 4
      ? resolver.resolve4(name, { ttl: true })
      : resolver.resolve6(name, { ttl: true }));
    if (records.length === 0) return "ENODATA"; // behind a CNAME, Node reports no error (RFC 2308 §2.2)
    return {
      addresses: records.map(({ address }) => ({ address, family })),
      ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000,
    };
  } catch (error) {
    const { code = "EAI_AGAIN" } = error as NodeJS.ErrnoException;
    if (serverFailures.has(code) && others.length > 0) return query(name, family, others);
    if (code === "EBADNAME") return "ENOTFOUND";
    return code === "ECONNREFUSED" ? "EAI_AGAIN" : code; // ECONNREFUSED would look like the service itself refusing the connection
  }
}

type Search = { readonly domains: readonly string[]; readonly ndots: number };

/** `search`, `domain` and `ndots` of resolv.conf(5). The last list wins; the default is the domain of the host name. */
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
 * The fully qualified names to query, in order. The given name comes before the search list if it has at least `ndots` dots,
 * and after it otherwise. For a name with a trailing dot, the search list is not used.
 */
function candidates(name: string, { domains, ndots }: Search): ReadonlySet<string> {
  if (name.endsWith(".")) return new Set([name.slice(0, -1)]);
  const searched = domains
    .map((domain) => (domain === "" ? name : `${name}.${domain}`))
    .filter((each) => each.length <= 253);
  const isFirst = name.split(".").length > ndots;
  return new Set(isFirst ? [name, ...searched] : [...searched, name]);
}

/** Re-reads the hosts file when it has changed. An unreadable file counts as empty. */
function hostsFileReader(file: string): () => ReadonlyMap<string, readonly Address[]> {
  let known = "";
  let hosts = new Map<string, Address[]>();
  return () => {
    const stamp = stampOf(file);
    if (stamp === known) return hosts;
    known = stamp;
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
 * IPv6 first if this machine has an IPv6 address that is not link-local, else IPv4. This is rule 1 of RFC 6724 §6, "avoid
 * unusable destinations"; the order is a preference only, since a connection tries all addresses.
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
    return false; // a unit may allow no AF_NETLINK
  }
}

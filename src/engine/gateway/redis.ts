/**
 * Connects to Redis or Valkey (`REDIS_URL`): to one server, to the master that sentinels name, or to a cluster. A process
 * without `REDIS_URL` never loads ioredis. A closed connection is replaced instead of reopened, so that names are resolved and
 * sentinels are queried again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster, Redis } from "ioredis";
import { Deadline } from "../runtime/deadline.ts";
import { lookupCache } from "../runtime/dns/lookup-cache.ts";
import type { RedisAddress, RedisGroup } from "../runtime/settings/redis-address.ts";

export type RedisClient = Redis | Cluster;
type Host = RedisGroup["hosts"][number];

export const prefix = "restbound:";

/** Time limits in milliseconds: for connecting, and until the server accepts commands. */
const connectTimeout = 1_000;
const readyMs = 3_000;
/** The pause before reconnecting doubles with each failure, up to `longestPauseMs`. */
const shortestPauseMs = 50;
const longestPauseMs = 1_000;

const oneAttempt = { connectTimeout, disconnectTimeout: 1, maxRetriesPerRequest: 0, lazyConnect: true };
const noRetry = () => null;
const lookup = lookupCache.within(0.9 * connectTimeout);

/** Returns an open connection. If Redis does not accept commands in time, throws the cause. */
export async function openRedis(address: RedisAddress, signal?: AbortSignal): Promise<RedisClient> {
  const client = await createClient(address);
  let cause: Error | undefined;
  client.on("error", (error: Error) => {
    cause = error;
  });
  const abort = (): void => client.disconnect();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    signal?.throwIfAborted();
    await within(readyMs, client.connect());
    return client;
  } catch (error) {
    client.disconnect();
    throw cause ?? error;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Calls `use` with a new connection whenever the previous one has closed, until `signal` is aborted. `use` must settle when its
 * connection closes. `addressOf` is called for each connection, because the password may have changed. `failed` is called with
 * the cause of each failure.
 */
export async function keepRedisOpen(
  addressOf: () => RedisAddress,
  signal: AbortSignal,
  use: (client: RedisClient) => Promise<unknown>,
  failed: (error: Error) => void,
): Promise<void> {
  for (let pauseMs = shortestPauseMs; !signal.aborted; ) {
    let usedAt = Number.POSITIVE_INFINITY;
    let client: RedisClient | undefined;
    const end = (): void => client?.disconnect();
    signal.addEventListener("abort", end, { once: true });
    try {
      client = await openRedis(addressOf(), signal);
      usedAt = performance.now();
      await use(client);
    } catch (error) {
      if (!signal.aborted) failed(error as Error);
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
    pauseMs =
      performance.now() - usedAt > longestPauseMs ? shortestPauseMs : Math.min(2 * pauseMs, longestPauseMs);
    await sleep(Math.random() * pauseMs, undefined, { signal }).catch(() => {});
  }
}

async function createClient(address: RedisAddress): Promise<RedisClient> {
  const [{ Cluster, Redis }, { RedisConnector: Connector }] = await Promise.all([
    import("ioredis"),
    import("./redis-connector.ts"),
  ]);
  if (address instanceof URL)
    return new Redis(address.href, { Connector, ...oneAttempt, retryStrategy: noRetry });
  if (address.kind === "sentinel") return new Redis(await sentinelOptions(address));
  return new Cluster([...address.hosts], {
    clusterRetryStrategy: noRetry,
    lazyConnect: true,
    slotsRefreshTimeout: connectTimeout,
    // returns the host name itself, because the connector resolves it later and the certificate is verified against it
    dnsLookup: (name, callback) => callback(null, name),
    // a command fails after few attempts and without pauses, because gateways work without Redis
    maxRedirections: 3,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    redisOptions: { Connector, ...oneAttempt, ...credentialsOf(address), ...(address.isTls && { tls: {} }) },
  });
}

/** ioredis' sentinel connector accepts our DNS lookup only as part of an address and as a TLS option. */
async function sentinelOptions(address: RedisGroup) {
  const { hosts, master: name, database: db, isTls, password } = address;
  const sentinels = isTls ? [...hosts] : (await Promise.all(hosts.map(addressesOf))).flat();
  return {
    ...oneAttempt,
    ...credentialsOf(address),
    name,
    db,
    sentinels,
    retryStrategy: noRetry,
    sentinelRetryStrategy: noRetry,
    sentinelCommandTimeout: connectTimeout,
    // the password is also sent to a sentinel that requires none, because it accepts any password
    ...(password !== "" && { sentinelPassword: password }),
    ...(isTls && { tls: {}, sentinelTLS: { lookup }, enableTLSForSentinelMode: true }),
    failoverDetector: true,
    natMap: (address: string) => {
      const [, host = "", port] = /^(.*):([0-9]+)$/.exec(address) ?? [];
      const withLookup = { host, port: Number(port), lookup };
      return withLookup;
    },
  };
}

/**
 * Returns one host per IP address. If the name cannot be resolved, returns the name, so that the failure is reported when
 * connecting.
 */
function addressesOf({ host, port }: Host): Promise<Host[]> {
  return new Promise((resolve) => {
    lookup(host, { all: true }, (error, found) => {
      const addresses = error || typeof found === "string" ? [] : found;
      resolve(
        addresses.length > 0 ? addresses.map(({ address }) => ({ host: address, port })) : [{ host, port }],
      );
    });
  });
}

const credentialsOf = ({ username, password }: RedisGroup) => ({
  ...(username !== "" && { username }),
  ...(password !== "" && { password }),
});

/** Rejects with `ETIMEDOUT` if `work` takes longer than `ms`. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const deadline = new Deadline(ms, () =>
    reject(Object.assign(new Error(`no answer within ${ms} ms`), { code: "ETIMEDOUT" })),
  );
  work.then(resolve, reject);
  return promise.finally(() => deadline.clear());
}

type RedisError = Error & {
  code?: string;
  /** The errors of a transaction's commands. */
  previousErrors?: readonly Error[];
  /** The error of the cluster node that was tried last. */
  lastNodeError?: RedisError;
};

/**
 * The cause for the log: the code of a connection error (`ECONNREFUSED`), or the prefix of a Redis error (`READONLY`, `OOM`,
 * `NOPERM`).
 */
export function redisCause({ code, message, previousErrors, lastNodeError }: RedisError): string {
  if (lastNodeError) return redisCause(lastNodeError);
  const text = previousErrors?.[0]?.message ?? message;
  return code ?? /^[A-Z]{2,}\b/.exec(text)?.[0] ?? text;
}

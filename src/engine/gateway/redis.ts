/**
 * Connections to Redis or Valkey (`REDIS_URL`). `prefix` begins the name of every key that gateways use. ioredis is loaded by
 * the first connection, so a process without `REDIS_URL` never loads it.
 */
import type { Redis, RedisOptions } from "ioredis";
import { Deadline } from "../runtime/deadline.ts";

export const prefix = "restbound:";

/** Milliseconds, for the connection, and for everything until commands are taken. */
const connectTimeout = 1_000;
const readyMs = 3_000;

export async function createRedis(url: URL, options: RedisOptions): Promise<Redis> {
  const [{ Redis }, { RedisConnector }] = await Promise.all([
    import("ioredis"),
    import("./redis-connector.ts"),
  ]);
  return new Redis(url.href, {
    Connector: RedisConnector,
    ...{ connectTimeout, disconnectTimeout: 1, maxRetriesPerRequest: 0 },
    ...options,
  });
}

/** A client whose connection is opened by `connect`, and not opened again once it has failed. */
export const createOnce = (url: URL): Promise<Redis> =>
  createRedis(url, { lazyConnect: true, retryStrategy: () => null });

/** Throws the cause where the server does not take commands in time. */
export async function connect(client: Redis): Promise<void> {
  let cause: Error | undefined;
  client.on("error", (error: Error) => {
    cause = error;
  });
  try {
    await within(readyMs, client.connect());
  } catch (error) {
    throw cause ?? error;
  }
}

/** Throws `ETIMEDOUT` where `work` takes longer than `ms`. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const deadline = new Deadline(ms, () =>
    reject(Object.assign(new Error(`no answer within ${ms} ms`), { code: "ETIMEDOUT" })),
  );
  work.then(resolve, reject);
  return promise.finally(() => deadline.clear());
}

type RedisError = Error & { code?: string; previousErrors?: readonly Error[] };

/**
 * What failed, for the log: the code of a connection (`ECONNREFUSED`), or the first word of the server's refusal (`READONLY`,
 * `OOM`, `NOPERM`). The refusal of a transaction names those of its commands.
 */
export function redisCause({ code, message, previousErrors }: RedisError): string {
  const text = previousErrors?.[0]?.message ?? message;
  return code ?? /^[A-Z]{2,}\b/.exec(text)?.[0] ?? text;
}

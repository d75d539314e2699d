/**
 * The log of revoked API keys: the Redis stream `restbound:revocations`. A service that revokes a key first records this in the
 * key store, and then appends the key's id to the log. Every gateway follows the log on a dedicated connection.
 *
 * A gateway must detect that it may have missed an entry. Each read begins with the last entry of the previous read:
 * - If that entry is missing, the log was trimmed beyond it, deleted or evicted, or a failover lost it.
 * - If the server's replication id has changed, a restart or a failover may have lost acknowledged entries.
 *
 * In both cases, the gateway reads the entire log, but revocations may still be lost. Gateways append a heartbeat to a quiet log
 * every few seconds. A replica rejects the heartbeat, which shows that revocations are written to another server.
 */
import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { revocationLog } from "../runtime/settings/capacity.ts";
import type { RedisAddress } from "../runtime/settings/redis-address.ts";
import { keepRedisOpen, openRedis, prefix, type RedisClient, redisCause, within } from "./redis.ts";

export const revocationStream = `${prefix}revocations`;
/** The fields of an entry: the id of a revoked key, or a heartbeat. */
const keyField = "key";
const beatField = "beat";

const pageSize = 1_000;
/** The longest blocking read in milliseconds, and the additional time within which the server must reply. */
const longestBlockMs = 1_000;
const answerMs = 1_000;
/** Warns about unreadable entries at most once in this many milliseconds. */
const warnEveryMs = 60_000;
/** The log is current if the last complete read began less than this many milliseconds ago. */
const currentMs = 5_000;

/** After this time without a new entry, a gateway appends a heartbeat. Random, so that usually only one gateway does. */
const randomQuietMs = (): number => 2_000 + Math.random() * 2_000;

export type RevocationListener = {
  /** Called with the ids of revoked keys, and the time of each revocation in ms since 1970. */
  forget(revoked: ReadonlyMap<string, number>): void;
  /** Called when every revocation before `at` (on the monotonic clock) has arrived. */
  confirm(at: number): void;
  /** Called when revocations since the last confirmation, or before `completeSince` (ms since 1970), may be lost. */
  miss(completeSince: number): void;
};

type Entry = readonly [id: string, fieldsAndValues: readonly string[]];

/** Opens a connection for appending revoked keys. Throws if Redis does not accept commands. */
export async function openRevocationLog(address: RedisAddress) {
  const client = await openRedis(address);
  return {
    append: (apiKeyId: string) => append(client, keyField, apiKeyId),
    close: () => client.disconnect(),
  };
}

const append = (client: RedisClient, field: string, value: string): Promise<string | null> =>
  within(answerMs, client.xadd(revocationStream, "MAXLEN", "~", revocationLog.entries, "*", field, value));

export class RevocationLog {
  /** The number of revoked keys, and how often revocations may have been lost, since the process started. */
  readonly counts = { revocations: 0, gaps: 0 };
  readonly #log: FastifyBaseLogger;
  readonly #listener: RevocationListener;
  readonly #unconfirmedMs: number;
  readonly #closing = new AbortController();
  /** The last entry read. If undefined, the next read covers the entire log. */
  #last: Entry | undefined;
  /** The replication id of the server that `#last` was read from. */
  #history: string | undefined;
  #newestAt = Number.NEGATIVE_INFINITY;
  #quietMs = randomQuietMs();
  readonly #startedAt = performance.now();
  /** When the last complete read began. */
  #readAt = Number.NEGATIVE_INFINITY;
  #gapAt = Number.NEGATIVE_INFINITY;
  #warnedUnreadableAt = Number.NEGATIVE_INFINITY;
  #hasWarnedUnread = false;

  /** For `unconfirmedMs` after a gap, a cached key may be accepted although its revocation was lost. */
  constructor(
    addressOf: () => RedisAddress,
    log: FastifyBaseLogger,
    listener: RevocationListener,
    unconfirmedMs: number,
  ) {
    this.#log = log;
    this.#listener = listener;
    this.#unconfirmedMs = unconfirmedMs;
    const follow = (client: RedisClient): Promise<never> => this.#follow(client);
    void keepRedisOpen(addressOf, this.#closing.signal, follow, (error) => this.#warnUnread(error));
  }

  /** Whether every revocation older than a few seconds has been applied to all cached keys. */
  get isCurrent(): boolean {
    const now = performance.now();
    return now - this.#readAt < currentMs && now - this.#gapAt > this.#unconfirmedMs;
  }

  /** Milliseconds since the log was last read completely, or since the process started. */
  get lagMs(): number {
    return performance.now() - Math.max(this.#readAt, this.#startedAt);
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow(client: RedisClient): Promise<never> {
    const connection = randomUUID();
    this.#newestAt = Number.NEGATIVE_INFINITY; // so that `#read` appends a heartbeat first
    for (;;) {
      const id = await this.#read(client, connection);
      const untilBeatMs = Math.ceil(this.#newestAt + this.#quietMs - performance.now());
      const blockMs = Math.min(Math.max(untilBeatMs, 1), longestBlockMs);
      // `xread` returns as soon as the log has a new entry. Its result is ignored, because the next `#read` returns the entry
      // too.
      await within(
        blockMs + answerMs,
        client.xread("COUNT", 1, "BLOCK", blockMs, "STREAMS", revocationStream, id),
      );
    }
  }

  /** Reads all entries after `#last`, and returns the id of the newest entry. */
  async #read(client: RedisClient, connection: string): Promise<string> {
    for (;;) {
      if (!this.#last || performance.now() - this.#newestAt > this.#quietMs)
        await append(client, beatField, "1");
      const beganAt = performance.now();
      const { entries, history = connection } = await readPage(client, this.#last);
      const gap = this.#gapBefore(entries, history);
      if (gap !== undefined) {
        this.#noteGap(gap);
        continue;
      }
      this.#history = history;
      if (!this.#last) this.#listener.miss(this.counts.gaps > 0 ? Date.now() : timeOf(entries[0]));
      this.#apply(this.#last ? entries.slice(1) : entries);
      if (this.#last && entries.length < pageSize) {
        this.#confirm(beganAt);
        return this.#last[0];
      }
    }
  }

  /**
   * Returns the reason why entries after `#last` may be lost, or `undefined` if none can be lost. `first` is the first entry of
   * the page that should begin with `#last`.
   */
  #gapBefore([first]: readonly Entry[], history: string): string | undefined {
    if (!this.#last) return undefined;
    if (history !== this.#history) return "the server restarted, or another one took over";
    return isSame(this.#last, first) ? undefined : "the last entry read is no longer in the log";
  }

  #noteGap(reason: string): void {
    this.counts.gaps++;
    this.#gapAt = performance.now();
    this.#last = undefined;
    this.#log.warn({ reason }, "REDIS_URL: revocations may be lost; cached keys are looked up again");
  }

  /** An entry without a known field may be a misspelled revocation, so cached keys are looked up again. */
  #noteUnreadable([entry]: Entry): void {
    this.counts.gaps++;
    this.#gapAt = performance.now();
    this.#listener.miss(Date.now());
    if (this.#gapAt - this.#warnedUnreadableAt < warnEveryMs) return;
    this.#warnedUnreadableAt = this.#gapAt;
    this.#log.warn(
      { entry },
      `REDIS_URL: an entry of ${revocationStream} has no field "${keyField}"; cached keys are looked up again`,
    );
  }

  #apply(entries: readonly Entry[]): void {
    const newest = entries.at(-1);
    if (!newest) return;
    const unreadable = this.#last && entries.find(([, values]) => !isReadable(values));
    if (unreadable) this.#noteUnreadable(unreadable);
    this.#last = newest;
    this.#newestAt = performance.now();
    this.#quietMs = randomQuietMs();
    const revoked = new Map(
      entries.flatMap((entry) => valuesOf(keyField, entry[1]).map((id) => [id, timeOf(entry)] as const)),
    );
    if (revoked.size === 0) return;
    this.counts.revocations += revoked.size;
    this.#listener.forget(revoked);
  }

  #confirm(at: number): void {
    this.#readAt = at;
    this.#listener.confirm(at);
    if (this.#hasWarnedUnread) this.#log.warn("REDIS_URL: revoked keys arrive again");
    this.#hasWarnedUnread = false;
  }

  #warnUnread(error: Error): void {
    if (this.#hasWarnedUnread || this.lagMs < currentMs) return;
    this.#hasWarnedUnread = true;
    this.#log.warn(
      { cause: redisCause(error) },
      "REDIS_URL: revoked keys may not arrive; cached keys are looked up again",
    );
  }
}

/**
 * Reads entries, beginning with `last` itself if it still exists. `history` is undefined if the INFO command is not permitted.
 */
async function readPage(client: RedisClient, last: Entry | undefined) {
  const commands = client
    .pipeline()
    .xrange(revocationStream, last?.[0] ?? "-", "+", "COUNT", pageSize)
    .info("replication");
  const [page, info] = (await within(answerMs, commands.exec())) ?? [];
  if (!page || page[0]) throw page?.[0] ?? new Error("no reply");
  const text = info?.[0] ? "" : String(info?.[1]);
  if (/^role:slave/m.test(text)) throw new Error("REPLICA: REDIS_URL names a server that rejects writes");
  return { entries: page[1] as readonly Entry[], history: /^master_replid:(\w+)/m.exec(text)?.[1] };
}

/** The time when Redis appended an entry, in ms since 1970: the first part of the entry's id. */
const timeOf = ([id]: Entry = ["", []]): number => Number.parseInt(id, 10) || Date.now();

const isSame = (last: Entry, first: Entry | undefined): boolean =>
  first !== undefined && last[0] === first[0] && last[1].join("\n") === first[1].join("\n");

/**
 * Whether the entry is only a heartbeat, or names keys by valid ids. A valid id consists of printable ASCII, has no space at
 * either end, and does not look like JSON. An entry with a key may have further fields.
 */
const isReadable = (values: readonly string[]): boolean => {
  const keys = valuesOf(keyField, values);
  return keys.length > 0
    ? keys.every((key) => keyId.test(key) && !noValue.has(key))
    : values.length === 2 && values[0] === beatField && values[1] === "1";
};

const keyId = /^(?![[{" ])[\x20-\x7e]{1,512}(?<! )$/;
/** Texts that programs write by mistake for a missing value. */
const noValue: ReadonlySet<string> = new Set(["undefined", "null", "NaN", "[object Object]"]);

function valuesOf(field: string, fieldsAndValues: readonly string[]): string[] {
  return fieldsAndValues.filter((_, at) => at % 2 === 1 && fieldsAndValues[at - 1] === field);
}

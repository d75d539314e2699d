/**
 * Verifies API keys with a cache in front of key introspection. The cache stores only SHA-256 digests of keys. Active and
 * inactive keys have separate caches, so that a flood of invalid keys cannot evict valid ones. Concurrent lookups of one key are
 * coalesced. Lookups wait in `lookup-queue.ts`. All times are on the monotonic clock.
 *
 * - An active key is cached for `KEY_CACHE_MS`, and for `KEY_STALE_MS` longer while lookups fail, but never beyond its expiry.
 * - An inactive key is cached for 5 s. A failure is never cached.
 * - With a revocation log (`revocation-log.ts`), an active key is cached for at most `KEY_UNCONFIRMED_MS` after the log was last
 *   read completely. A key that nears this limit is looked up again in advance.
 */
import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type CodedError, refusedByLimit } from "../runtime/coded-error.ts";
import { hasChecksum } from "../runtime/http/api-key.ts";
import type { TenantContext } from "../runtime/http/context-headers.ts";
import { badKeys, cachedKeys, keyLookups, revalidations } from "../runtime/settings/capacity.ts";
import type { Config } from "../runtime/settings/config.ts";
import { staleMs } from "../runtime/settings/key-times.ts";
import { KeyCache } from "./key-cache.ts";
import type { ActiveKey, IntrospectKey, KeyState } from "./key-introspection.ts";
import { Revalidation } from "./key-refresh.ts";
import { LookupQueue, priorities } from "./lookup-queue.ts";
import { RateStore } from "./rate-store.ts";
import type { RevocationListener } from "./revocation-log.ts";

const inactiveMs = 5_000;
/** After a failed lookup, a cached key is accepted for this long without another lookup. */
const failedMs = 5_000;

type CachedKey = {
  readonly state: ActiveKey;
  readonly lookedUpAt: number;
  /** Before `until`, the key is accepted without a lookup. After a failed lookup, the key is still accepted before `end`. */
  until: number;
  readonly end: number;
  /** The key is never accepted after this time. Finite if a revocation may have been missed since the lookup. */
  trustedUntil: number;
  /** Requests with this key since its lookup. */
  uses: number;
  /** No revalidation begins before this time. */
  revalidateAt: number;
};

type Ids = Pick<ReadonlySet<string>, "has">;

type Settings = Partial<
  Pick<
    Config["env"],
    "KEY_CACHE_MS" | "KEY_CACHE_SIZE" | "KEY_LOOKUPS" | "KEY_STALE_MS" | "KEY_UNCONFIRMED_MS" | "REDIS_URL"
  >
>;

export class KeyVerifier implements RevocationListener {
  /** Cache hits and misses, and lookups by outcome, since the process started. */
  readonly counts = { hits: 0, misses: 0, active: 0, inactive: 0, failed: 0 };
  readonly #lookUp: IntrospectKey;
  readonly #cacheMs: number;
  readonly #staleMs: number;
  /** Infinite without a revocation log, so that only `KEY_CACHE_MS` and `KEY_STALE_MS` apply. */
  readonly #unconfirmedMs: number;
  readonly #active: KeyCache<CachedKey>;
  readonly #inactive = new LRUCache<string, { readonly until: number }>({ max: cachedKeys.inactive });
  readonly #lookups = new Map<string, Promise<KeyState>>();
  /** For each running lookup, the revocations that arrived since it began. */
  readonly #arrivals = new Set<Ids[]>();
  readonly #queue: LookupQueue;
  readonly #revalidation: Revalidation<CachedKey>;
  /** Counts only invalid keys, so that any number of valid keys from one address can be looked up. */
  readonly #invalidKeyRates = new RateStore();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #missedAt = Number.NEGATIVE_INFINITY;

  /** `timeoutMs` limits each lookup after it has left the queue. */
  constructor(lookUp: IntrospectKey, timeoutMs: number, settings: Settings = {}) {
    this.#lookUp = lookUp;
    this.#cacheMs = settings.KEY_CACHE_MS ?? 25_000;
    this.#staleMs = staleMs(settings);
    this.#unconfirmedMs = settings.REDIS_URL
      ? (settings.KEY_UNCONFIRMED_MS ?? 30_000)
      : Number.POSITIVE_INFINITY;
    const { KEY_CACHE_SIZE: size = cachedKeys.active, KEY_LOOKUPS: concurrency = keyLookups.running } =
      settings;
    this.#active = new KeyCache(size);
    this.#queue = new LookupQueue(timeoutMs, concurrency);
    this.#revalidation = new Revalidation({
      mostWaiting: size,
      mostRunning: Math.ceil(concurrency * revalidations.part),
      running: () => this.#queue.running,
      isDue: ({ digest, entry }) => this.#active.peek(digest) === entry && this.#isDoubtful(entry),
      lookUp: ({ key, digest, owner }) => this.#lookUpOnce(key, digest, owner),
    });
  }

  /** The number of lookups that run or wait. */
  get inFlight(): number {
    return this.#lookups.size;
  }

  /**
   * Returns the context of an active key, or `undefined` for an inactive one. `owner` is the address block of the client. Throws
   * SERVICE_UNAVAILABLE, RATE_LIMITED, and the errors of the lookup.
   */
  async verify(key: string, owner: string): Promise<TenantContext | undefined> {
    const digest = hash("sha256", key, "base64");
    const state =
      this.#cached(key, digest, owner) ??
      (await this.#lookUpOnce(key, digest, owner).catch((error) => this.#stale(digest, error)));
    return state === "inactive" ? undefined : state.context;
  }

  #cached(key: string, digest: string, owner: string): KeyState | undefined {
    const now = performance.now();
    const entry = this.#active.get(digest);
    if (entry && now < Math.min(entry.until, this.#trustedUntil(entry))) {
      this.counts.hits++;
      entry.uses++;
      if (this.#isDoubtful(entry)) this.#revalidation.add({ key, digest, owner, entry });
      return entry.state;
    }
    const isInactive = now < (this.#inactive.get(digest)?.until ?? 0);
    this.counts[isInactive ? "hits" : "misses"]++;
    return isInactive ? "inactive" : undefined;
  }

  /** Drops revoked keys from the cache by their ids. */
  forget(apiKeyIds: Ids): void {
    for (const arrived of this.#arrivals) arrived.push(apiKeyIds);
    for (const [digest, { state }] of this.#active)
      if (apiKeyIds.has(state.context.apiKeyId)) this.#active.delete(digest);
  }

  /** Called when every revocation before `at` has arrived. */
  confirm(at: number): void {
    this.#confirmedAt = at;
  }

  /**
   * Called when revocations since the last confirmation may be lost. Shortens the time for which the cached keys are accepted.
   */
  miss(): void {
    for (const [, entry] of this.#active) entry.trustedUntil = this.#trustedUntil(entry);
    this.#missedAt = performance.now();
  }

  #trustedUntil({ lookedUpAt, trustedUntil }: CachedKey): number {
    return Math.min(trustedUntil, Math.max(lookedUpAt, this.#confirmedAt) + this.#unconfirmedMs);
  }

  /**
   * Whether a key whose `#trustedUntil` ends before its cache entry should be looked up again. The lookup is due
   * - at once if revocations were lost,
   * - after a sixth of `unconfirmedMs` if the log confirmed the key last, so that the log has time to confirm the key again,
   * - in the last third of `unconfirmedMs` if a lookup confirmed the key last.
   */
  #isDoubtful(entry: CachedKey): boolean {
    const trustedUntil = this.#trustedUntil(entry);
    if (trustedUntil >= entry.until) return false;
    const now = performance.now();
    const lead = entry.trustedUntil < entry.until ? 1 : entry.lookedUpAt > this.#confirmedAt ? 1 / 3 : 5 / 6;
    const leadMs = this.#unconfirmedMs * lead;
    return trustedUntil - now < leadMs && now >= entry.revalidateAt;
  }

  /** Returns the cached state if it may still be used after a failed lookup. Otherwise throws `error`. */
  #stale(digest: string, error: unknown): KeyState {
    const entry = this.#active.get(digest);
    const now = performance.now();
    if (!entry || now >= Math.min(entry.end, this.#trustedUntil(entry))) throw error;
    entry.until = Math.min(now + failedMs, entry.end);
    return entry.state;
  }

  #lookUpOnce(key: string, digest: string, owner: string): Promise<KeyState> {
    const joined = this.#lookups.get(digest);
    if (joined) return joined;
    // an expired key stays in the cache, and its entry shows that the key was valid before
    const cached = this.#active.get(digest);
    const rank = cached ? priorities.known : hasChecksum(key) ? priorities.plausible : priorities.other;
    // counted per rank, so that invented keys without a checksum do not use up the limit for well-formed keys
    const sender = `${rank} ${owner}`;
    const isRefused = (): boolean =>
      rank !== priorities.known && this.#invalidKeyRates.count(sender, 0).current >= badKeys.perMinute;
    if (isRefused()) return Promise.reject(tooManyBadKeys());
    const lookup = this.#queue
      .run(rank, owner, async (signal) => {
        if (isRefused()) throw tooManyBadKeys(); // the limit was reached while this lookup waited
        return this.#lookUpKey(key, digest, signal);
      })
      .finally(() => this.#lookups.delete(digest));
    this.#lookups.set(digest, lookup);
    lookup.then(
      (state) => {
        this.counts[state === "inactive" ? "inactive" : "active"]++;
        if (state === "inactive") this.#invalidKeyRates.count(sender);
      },
      (error) => {
        if (error.reason !== "bad_keys") this.counts.failed++;
        if (cached) cached.revalidateAt = performance.now() + failedMs;
      },
    );
    return lookup;
  }

  async #lookUpKey(key: string, digest: string, signal: AbortSignal): Promise<KeyState> {
    const arrived: Ids[] = [];
    this.#arrivals.add(arrived);
    try {
      for (;;) {
        arrived.length = 0;
        const lookedUpAt = performance.now();
        const state = await this.#lookUp(key, signal);
        if (state === "inactive" || state.validMs <= 0) {
          this.#active.delete(digest);
          this.#inactive.set(digest, { until: lookedUpAt + inactiveMs });
          return "inactive";
        }
        // the response may be older than a revocation that arrived during the lookup
        if (arrived.some((ids) => ids.has(state.context.apiKeyId))) continue;
        this.#remember(digest, state, lookedUpAt);
        return state;
      }
    } finally {
      this.#arrivals.delete(arrived);
    }
  }

  #remember(digest: string, state: ActiveKey, lookedUpAt: number): void {
    const expiry = performance.now() + state.validMs;
    const until = Math.min(lookedUpAt + this.#cacheMs, expiry);
    this.#active.set(digest, {
      state,
      lookedUpAt,
      until,
      end: Math.min(lookedUpAt + this.#cacheMs + this.#staleMs, expiry),
      trustedUntil: lookedUpAt < this.#missedAt ? lookedUpAt + this.#unconfirmedMs : Number.POSITIVE_INFINITY,
      uses: 0,
      revalidateAt: 0,
    });
  }
}

const tooManyBadKeys = (): CodedError =>
  refusedByLimit("bad_keys", "RATE_LIMITED", "too many invalid API keys from this address");

/**
 * Verifies API keys with a cache in front of key introspection. The cache holds only SHA-256 digests of keys. Active and inactive
 * keys are cached separately, so a flood of invalid keys cannot evict valid ones. Concurrent lookups of the same key are
 * coalesced. Uncached keys wait in `lookup-queue.ts`. All times are on the monotonic clock.
 *
 * - An active key is cached for `KEY_CACHE_MS`, and for `KEY_STALE_MS` longer while lookups fail, but never beyond its expiry.
 * - An inactive key is cached for 5 s. A failure is never cached.
 * - With a revocation log (`revocation-log.ts`), an active key is cached for at most `KEY_UNCONFIRMED_MS` after the last
 *   time at which the log was read completely. A key that nears that limit is looked up again in advance.
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
/** How long a cached key is accepted after a failed lookup before the next attempt. */
const failedMs = 5_000;

type CachedKey = {
  readonly state: ActiveKey;
  /** When its lookup began. */
  readonly lookedUpAt: number;
  /** The key is accepted without a lookup until `until`, and while lookups fail, until `end`. */
  until: number;
  readonly end: number;
  /** The key is never accepted after this time, which is set when a revocation may have been missed since the lookup. */
  trustedUntil: number;
  /** Requests with this key since its lookup. */
  uses: number;
  /** Earliest time of the next revalidation. */
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
  /** Infinite without a revocation log: then only `KEY_CACHE_MS` and `KEY_STALE_MS` apply. */
  readonly #unconfirmedMs: number;
  readonly #active: KeyCache<CachedKey>;
  readonly #inactive = new LRUCache<string, { readonly until: number }>({ max: cachedKeys.inactive });
  readonly #lookups = new Map<string, Promise<KeyState>>();
  /** For each running lookup, the revocations that arrived since it began. */
  readonly #arrivals = new Set<Ids[]>();
  readonly #queue: LookupQueue;
  readonly #revalidation: Revalidation<CachedKey>;
  /** Counts only invalid keys, so that lookups of valid keys from one address are not limited. */
  readonly #invalidKeyRates = new RateStore();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #missedAt = Number.NEGATIVE_INFINITY;

  /** `timeoutMs` limits each lookup, from when it leaves the queue. */
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

  /** Lookups that run or wait. */
  get inFlight(): number {
    return this.#lookups.size;
  }

  /**
   * Returns the context of an active key, `undefined` for an inactive one. `owner` is the address block of the client that sent
   * the key. Throws SERVICE_UNAVAILABLE, RATE_LIMITED, and the errors of the lookup.
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

  /** Drops the cached state of revoked keys, by their ids. */
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
   * Called when revocations since the last confirmation may be lost: shortens the time for which each key cached so far is
   * accepted.
   */
  miss(): void {
    for (const [, entry] of this.#active) entry.trustedUntil = this.#trustedUntil(entry);
    this.#missedAt = performance.now();
  }

  #trustedUntil({ lookedUpAt, trustedUntil }: CachedKey): number {
    return Math.min(trustedUntil, Math.max(lookedUpAt, this.#confirmedAt) + this.#unconfirmedMs);
  }

  /**
   * Whether a key should be looked up again, because it will stop being trusted before its cache entry expires. If revocations
   * were lost, the lookup is due at once. If the log confirmed the key last, the lookup is due after a sixth of `unconfirmedMs`,
   * because the log may confirm the key again. If a lookup confirmed the key last, the next lookup is due in the last third of
   * `unconfirmedMs`.
   */
  #isDoubtful(entry: CachedKey): boolean {
    const trustedUntil = this.#trustedUntil(entry);
    if (trustedUntil >= entry.until) return false;
    const now = performance.now();
    const lead = entry.trustedUntil < entry.until ? 1 : entry.lookedUpAt > this.#confirmedAt ? 1 / 3 : 5 / 6;
    const leadMs = this.#unconfirmedMs * lead;
    return trustedUntil - now < leadMs && now >= entry.revalidateAt;
  }

  /** Returns the cached state if it may still be used after a failed lookup; otherwise throws `error`. */
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
    // an active key stays in the cache after it expires, which shows that the key was valid before
    const cached = this.#active.get(digest);
    const rank = cached ? priorities.known : hasChecksum(key) ? priorities.plausible : priorities.other;
    // counted per rank, so that made-up keys without a checksum do not use up the limit of well-formed ones
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
        // the response may predate a revocation that arrived during the lookup
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

/**
 * Verifies API keys with a cache in front of key introspection. The cache holds only SHA-256 digests of keys. An active
 * key is cached for `KEY_CACHE_MS` (by default a revocation takes effect within 30 s) and never beyond its expiry. While
 * look-ups fail, it is taken for `KEY_STALE_MS` longer. An inactive key is cached for 5 s. A failure is never cached. Active and inactive keys have a cache each, so a flood of wrong keys evicts no
 * good one. Uncached keys wait in `look-up-queue.ts`. Concurrent look-ups of one key are one look-up. All times are on
 * the monotonic clock.
 */
import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Config } from "../config.ts";
import { type CodedError, refusedBy } from "../errors.ts";
import { hasChecksum } from "../http/api-key.ts";
import type { TenantContext } from "../http/context-headers.ts";
import { badKeys, cachedKeys } from "../settings/capacity.ts";
import type { IntrospectKey, KeyState } from "./key-introspection.ts";
import { LookUpQueue, ranks } from "./look-up-queue.ts";
import { RateStore } from "./rate-store.ts";

const inactiveMs = 5_000;
/** So long a key is taken without a look-up after one has failed, where `KEY_STALE_MS` allows it. */
const failedMs = 5_000;

/** `end`: the key expires, or has been taken for as long as it may be while look-ups fail. */
type Remembered = { state: KeyState; until: number; end: number };

/** By default revocation within 30 s is promised, of which 5 s are for requests in progress. */
type Times = Partial<Pick<Config["env"], "KEY_CACHE_MS" | "KEY_STALE_MS">>;

export class KeyVerifier {
  /** The keys that were checked and the look-ups that were made, since the start. */
  readonly counts = { hits: 0, misses: 0, active: 0, inactive: 0, failed: 0 };
  readonly #lookUp: IntrospectKey;
  readonly #cacheMs: number;
  readonly #staleMs: number;
  readonly #active = new LRUCache<string, Remembered>({ max: cachedKeys });
  readonly #inactive = new LRUCache<string, Remembered>({ max: cachedKeys });
  readonly #underWay = new Map<string, Promise<KeyState>>();
  readonly #queue: LookUpQueue;
  /** Good keys do not count, so new good keys of one address are all looked up. */
  readonly #bad = new RateStore();
  #revocations = 0;

  /** A look-up takes `timeoutMs` at most, once it runs. */
  constructor(lookUp: IntrospectKey, timeoutMs: number, { KEY_CACHE_MS, KEY_STALE_MS }: Times = {}) {
    this.#lookUp = lookUp;
    this.#cacheMs = KEY_CACHE_MS ?? 25_000;
    this.#staleMs = KEY_STALE_MS ?? 0;
    this.#queue = new LookUpQueue(timeoutMs);
  }

  /** Look-ups that run or wait. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /**
   * Returns the context of an active key, `undefined` for an inactive one. `owner` is the address that presents the key.
   * Throws SERVICE_UNAVAILABLE, RATE_LIMITED, and the errors of the look-up.
   */
  async verify(key: string, owner: string): Promise<TenantContext | undefined> {
    const digest = hash("sha256", key, "base64");
    const known = fresh(this.#active.get(digest)) ?? fresh(this.#inactive.get(digest));
    this.counts[known ? "hits" : "misses"]++;
    const state =
      known ?? (await this.#askOnce(key, digest, owner).catch((error) => this.#stale(digest, error)));
    return state === "inactive" ? undefined : state.context;
  }

  /** Forgets the answers for a key that was revoked, by its id. */
  forget(apiKeyId: string): void {
    this.#revocations++; // a look-up under way may return the state from before the revocation
    for (const [digest, { state }] of this.#active)
      if (state !== "inactive" && state.context.apiKeyId === apiKeyId) this.#active.delete(digest);
  }

  /** The state of a key that was good, if its time is not over: the look-up has failed. */
  #stale(digest: string, error: unknown): KeyState {
    const entry = this.#active.get(digest);
    const now = performance.now();
    if (!entry || now >= entry.end) throw error;
    this.#active.set(digest, { ...entry, until: Math.min(now + failedMs, entry.end) });
    return entry.state;
  }

  #askOnce(key: string, digest: string, owner: string): Promise<KeyState> {
    const joined = this.#underWay.get(digest);
    if (joined) return joined;
    // an expired entry of an active key stays in the cache: the key was good before
    const rank = this.#active.has(digest) ? ranks.known : hasChecksum(key) ? ranks.plausible : ranks.other;
    // keys with a checksum are counted apart, so made-up keys without one keep no good key out
    const sender = `${rank} ${owner}`;
    const isRefused = (): boolean =>
      rank !== ranks.known && this.#bad.count(sender, 0).current >= badKeys.perMinute;
    if (isRefused()) return Promise.reject(tooManyBadKeys());
    const asked = this.#queue
      .run(rank, owner, async (signal) => {
        if (isRefused()) throw tooManyBadKeys(); // the look-ups before it found no good keys
        return this.#ask(key, digest, signal);
      })
      .finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, asked);
    asked.then(
      (state) => {
        this.counts[state === "inactive" ? "inactive" : "active"]++;
        if (state === "inactive") this.#bad.count(sender);
      },
      (error) => {
        if (error.reason !== "bad_keys") this.counts.failed++;
      },
    );
    return asked;
  }

  async #ask(key: string, digest: string, signal: AbortSignal): Promise<KeyState> {
    const startedAt = performance.now();
    const before = this.#revocations;
    const state = await this.#lookUp(key, signal);
    if (state === "inactive" || state.validMs <= 0) {
      this.#active.delete(digest);
      this.#inactive.set(digest, { state: "inactive", until: startedAt + inactiveMs, end: startedAt });
      return "inactive";
    }
    const [until, expiry] = [startedAt + this.#cacheMs, performance.now() + state.validMs];
    const end = Math.min(until + this.#staleMs, expiry);
    if (this.#revocations === before)
      this.#active.set(digest, { state, until: Math.min(until, expiry), end });
    return state;
  }
}

const tooManyBadKeys = (): CodedError =>
  refusedBy("bad_keys", "RATE_LIMITED", "too many API keys from this address that are not good");

const fresh = (entry: Remembered | undefined): KeyState | undefined =>
  entry && performance.now() < entry.until ? entry.state : undefined;

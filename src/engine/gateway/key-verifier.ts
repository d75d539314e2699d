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

/** Returns the context of an active key, `undefined` for an inactive one. `owner` is the address that presents the key. */
export type VerifyKey = (key: string, owner: string) => Promise<TenantContext | undefined>;

/** `end`: the key expires, or has been taken for as long as it may be while look-ups fail. */
type Remembered = { state: KeyState; until: number; end: number };

/** By default revocation within 30 s is promised, of which 5 s are for requests in progress. */
type Times = Partial<Pick<Config["env"], "KEY_CACHE_MS" | "KEY_STALE_MS">>;

/** The keys that were checked and the look-ups that were made, since the start. */
export class KeyChecks {
  hits = 0;
  misses = 0;
  active = 0;
  inactive = 0;
  failed = 0;
  underWay = 0;
  /** Forgets the answers for a key that was revoked, by its id. */
  forget: (apiKeyId: string) => void = () => {};
}

/**
 * A look-up takes `timeoutMs` at most, once it runs. Throws SERVICE_UNAVAILABLE, RATE_LIMITED, and the errors of
 * `lookUp`.
 */
export function createKeyVerifier(
  lookUp: IntrospectKey,
  timeoutMs: number,
  checks = new KeyChecks(),
  { KEY_CACHE_MS: cacheMs = 25_000, KEY_STALE_MS: staleMs = 0 }: Times = {},
): VerifyKey {
  const active = new LRUCache<string, Remembered>({ max: cachedKeys });
  const inactive = new LRUCache<string, Remembered>({ max: cachedKeys });
  const underWay = new Map<string, Promise<KeyState>>();
  let revocations = 0;
  checks.forget = (apiKeyId) => {
    revocations++; // a look-up under way may return the state from before the revocation
    for (const [digest, { state }] of active)
      if (state !== "inactive" && state.context.apiKeyId === apiKeyId) active.delete(digest);
  };
  const queue = new LookUpQueue(timeoutMs);
  // good keys do not count, so new good keys of one address are all looked up
  const bad = new RateStore();

  const ask = async (key: string, digest: string, signal: AbortSignal): Promise<KeyState> => {
    const startedAt = performance.now();
    const before = revocations;
    const answer = await lookUp(key, signal);
    const state = answer !== "inactive" && answer.validMs <= 0 ? "inactive" : answer;
    const cache = state === "inactive" ? inactive : active;
    if (state === "inactive") active.delete(digest);
    if (state === "inactive" || revocations === before) cache.set(digest, remembered(state, startedAt));
    return state;
  };
  const remembered = (state: KeyState, startedAt: number): Remembered => {
    if (state === "inactive") return { state, until: startedAt + inactiveMs, end: startedAt };
    const [until, expiry] = [startedAt + cacheMs, performance.now() + state.validMs];
    return { state, until: Math.min(until, expiry), end: Math.min(until + staleMs, expiry) };
  };
  /** The state of a key that was good, if its time is not over: the look-up has failed. */
  const stale = (digest: string, error: unknown): KeyState => {
    const entry = active.get(digest);
    const now = performance.now();
    if (!entry || now >= entry.end) throw error;
    active.set(digest, { ...entry, until: Math.min(now + failedMs, entry.end) });
    return entry.state;
  };
  const askOnce = (key: string, digest: string, owner: string): Promise<KeyState> => {
    const joined = underWay.get(digest);
    if (joined) return joined;
    // an expired entry of an active key stays in the cache: the key was good before
    const rank = active.has(digest) ? ranks.known : hasChecksum(key) ? ranks.plausible : ranks.other;
    // keys with a checksum are counted apart, so made-up keys without one keep no good key out
    const sender = `${rank} ${owner}`;
    const isRefused = (): boolean =>
      rank !== ranks.known && bad.count(sender, 0).current >= badKeys.perMinute;
    if (isRefused()) return Promise.reject(tooManyBadKeys());
    const asked = queue
      .run(rank, owner, async (signal) => {
        if (isRefused()) throw tooManyBadKeys(); // the look-ups before it found no good keys
        return ask(key, digest, signal);
      })
      .finally(() => {
        underWay.delete(digest);
        checks.underWay--;
      });
    underWay.set(digest, asked);
    checks.underWay++;
    asked.then(
      (state) => {
        checks[state === "inactive" ? "inactive" : "active"]++;
        if (state === "inactive") bad.count(sender);
      },
      (error) => {
        if (error.reason !== "bad_keys") checks.failed++;
      },
    );
    return asked;
  };
  return async (key, owner) => {
    const digest = hash("sha256", key, "base64");
    const known = fresh(active.get(digest)) ?? fresh(inactive.get(digest));
    if (known) checks.hits++;
    else checks.misses++;
    const state = known ?? (await askOnce(key, digest, owner).catch((error) => stale(digest, error)));
    return state === "inactive" ? undefined : state.context;
  };
}

const tooManyBadKeys = (): CodedError =>
  refusedBy("bad_keys", "RATE_LIMITED", "too many API keys from this address that are not good");

const fresh = (entry: Remembered | undefined): KeyState | undefined =>
  entry && performance.now() < entry.until ? entry.state : undefined;

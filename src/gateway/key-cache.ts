/**
 * Remembers what key introspection said, so that a key is looked up twice a minute and not with every request.
 * Keys are held as SHA-256 digests only. Good answers live 25 s (revocation is effective within 30) and
 * never past the key's expiry; bad ones 5 s; failures not at all. Both are bounded, each on its own, so that a
 * flood of wrong keys cannot push good ones out; nor can it take all look-ups: a quarter is for keys that were good.
 * Look-ups of one key at the same time are one look-up.
 */
import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { CodedError } from "../errors.ts";
import type { TenantContext } from "../http/context-headers.ts";
import type { KeyState, LookUp } from "./key-introspection.ts";

/** The promise is 30 s; the rest is for a request that is already under way. */
const activeMs = 25_000;
const inactiveMs = 5_000;
const maxKeys = 10_000;
const maxLookUps = 256;
const maxLookUpsOfNewKeys = 192;

/** Whose key it is, or `undefined` when it is nobody's. */
export type Verify = (key: string) => Promise<TenantContext | undefined>;

/** `until` is on the monotonic clock, which no clock adjustment moves. */
type Remembered = { state: KeyState; until: number };

/** `lookUp` with a memory. Throws SERVICE_UNAVAILABLE when too many look-ups are under way, and whatever `lookUp` throws. */
export function rememberKeys(lookUp: LookUp): Verify {
  const active = new LRUCache<string, Remembered>({ max: maxKeys });
  const inactive = new LRUCache<string, Remembered>({ max: maxKeys });
  const underWay = new Map<string, Promise<KeyState>>();

  const ask = async (key: string, digest: string): Promise<KeyState> => {
    const startedAt = performance.now();
    const state = await lookUp(key);
    const cache = state === "inactive" ? inactive : active;
    if (state === "inactive") active.delete(digest);
    cache.set(digest, { state, until: startedAt + lifetime(state) });
    return state;
  };
  const askOnce = (key: string, digest: string): Promise<KeyState> => {
    const joined = underWay.get(digest);
    if (joined) return joined;
    const wasGood = active.has(digest); // it is kept there longer than it is believed
    if (underWay.size >= (wasGood ? maxLookUps : maxLookUpsOfNewKeys)) {
      throw new CodedError("SERVICE_UNAVAILABLE", "too many API keys to check at once", { retryAfter: 1 });
    }
    const asked = ask(key, digest).finally(() => underWay.delete(digest));
    underWay.set(digest, asked);
    return asked;
  };
  return async (key) => {
    const digest = hash("sha256", key, "base64");
    const known = fresh(active.get(digest)) ?? fresh(inactive.get(digest));
    const state = known ?? (await askOnce(key, digest));
    return state === "inactive" || state.expiresAt <= Date.now() ? undefined : state.context;
  };
}

const fresh = (entry: Remembered | undefined): KeyState | undefined =>
  entry && performance.now() < entry.until ? entry.state : undefined;

/** Milliseconds that an answer may be used, from the moment it was asked for. */
const lifetime = (state: KeyState): number =>
  state === "inactive" ? inactiveMs : Math.min(activeMs, state.expiresAt - Date.now());

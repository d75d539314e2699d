/** How long gateways accept a cached key, derived from the settings. */
import type { Environment } from "./environment.ts";

type KeyTimes = Partial<
  Pick<Environment, "KEY_CACHE_MS" | "KEY_STALE_MS" | "KEY_UNCONFIRMED_MS" | "REDIS_URL">
>;

/**
 * How much longer than `KEY_CACHE_MS` while key introspection fails. Without a revocation log no revocation can be learned
 * in that time, so it is for the operator to allow.
 */
export const staleMs = ({ KEY_STALE_MS, REDIS_URL }: KeyTimes): number =>
  KEY_STALE_MS ?? (REDIS_URL ? 300_000 : 0);

/** How long gateways accept a revoked key, in ms. */
export function acceptedMs(times: KeyTimes & Pick<Environment, "KEY_CACHE_MS" | "KEY_UNCONFIRMED_MS">) {
  const untold = times.KEY_CACHE_MS + staleMs(times);
  return {
    /** Where the gateway was not told. */
    cached: times.KEY_CACHE_MS,
    /** The same, while key introspection fails too. */
    untold,
    /** Where the gateway cannot read the revocation log. */
    cutOff: Math.min(untold, times.KEY_UNCONFIRMED_MS),
  };
}

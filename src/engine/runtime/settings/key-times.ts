/** How long gateways accept a cached key, derived from the settings. */
import type { Environment } from "./environment.ts";

type KeyTimes = Partial<
  Pick<Environment, "KEY_CACHE_MS" | "KEY_STALE_MS" | "KEY_UNCONFIRMED_MS" | "REDIS_URL">
>;

/**
 * How much longer than `KEY_CACHE_MS` a cached key is accepted while key introspection fails. If there is no revocation log, the
 * default is 0, because the gateway then cannot learn of revocations.
 */
export const staleMs = ({ KEY_STALE_MS, REDIS_URL }: KeyTimes): number =>
  KEY_STALE_MS ?? (REDIS_URL ? 300_000 : 0);

/** How long gateways accept a revoked key, in ms. All three times are for a gateway that has not received the revocation. */
export function acceptedMs(times: KeyTimes & Pick<Environment, "KEY_CACHE_MS" | "KEY_UNCONFIRMED_MS">) {
  const whileStale = times.KEY_CACHE_MS + staleMs(times);
  return {
    /** While key introspection works. */
    cached: times.KEY_CACHE_MS,
    /** While key introspection fails. */
    whileStale,
    /** While the gateway cannot read the revocation log. */
    unconfirmed: Math.min(whileStale, times.KEY_UNCONFIRMED_MS),
  };
}

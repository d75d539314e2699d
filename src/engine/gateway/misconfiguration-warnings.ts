/** Logs a warning for the first request that suggests a misconfiguration. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isKeyOf } from "../runtime/http/api-key.ts";
import type { Config } from "../runtime/settings/config.ts";

/** In production, warns of a key of the other environment: `API_ENVIRONMENT` was probably forgotten. */
export function warnOfKeyEnvironment({ log }: FastifyInstance, { env, production }: Config) {
  const own = env.API_ENVIRONMENT;
  const other = own === "test" ? "live" : "test";
  let hasWarned = !production || env.KEY_PATTERN !== undefined;
  return (key: string): void => {
    if (hasWarned || !isKeyOf(other, key)) return;
    hasWarned = true;
    log.warn(
      `API_ENVIRONMENT: is ${own}, but a ${other} key was sent; these keys are rejected without a lookup`,
    );
  };
}

/** Warns of a proxy that is not trusted, because limits then count all its clients as one address. */
export function warnOfUntrustedProxy() {
  let hasWarned = false;
  return async ({ headers, log, ip }: FastifyRequest): Promise<void> => {
    if (hasWarned || headers["x-forwarded-for"] === undefined) return;
    hasWarned = true;
    log.warn(
      { address: ip },
      "X-Forwarded-For was sent, but TRUSTED_PROXIES is not set: limits count all clients of this proxy as one address",
    );
  };
}

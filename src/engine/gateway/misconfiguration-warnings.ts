/** Requests that tell of a wrong configuration: one line each, at the first of them. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isKeyOf } from "../runtime/http/api-key.ts";
import type { Config } from "../runtime/settings/config.ts";

/** Warns once of a key of the other environment: in production, `API_ENVIRONMENT` was probably forgotten. */
export function warnOfKeyEnvironment({ log }: FastifyInstance, { env, production }: Config) {
  const own = env.API_ENVIRONMENT;
  const other = own === "test" ? "live" : "test";
  let isTold = !production || env.KEY_PATTERN !== undefined;
  return (key: string): void => {
    if (isTold || !isKeyOf(other, key)) return;
    isTold = true;
    log.warn(`API_ENVIRONMENT: is ${own}, and a ${other} key came: such keys are refused without a look-up`);
  };
}

/** Warns once if a proxy in front is not trusted: all its clients then have one address, the proxy's. */
export function warnOfUntrustedProxy() {
  let isTold = false;
  return async ({ headers, log, ip }: FastifyRequest): Promise<void> => {
    if (isTold || headers["x-forwarded-for"] === undefined) return;
    isTold = true;
    log.warn(
      { address: ip },
      "X-Forwarded-For came and TRUSTED_PROXIES is not set: limits count this proxy's clients as one address",
    );
  };
}

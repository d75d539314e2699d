/**
 * The gateway's proof: a secret header by which the roles behind the gateway recognize its requests. Without it, context headers
 * are ignored.
 */
import { timingSafeEqual } from "node:crypto";
import { proofHeader } from "../../shared/never-credentials.ts";
import type { Environment } from "../settings/environment.ts";

export { proofHeader };

export type GatewaySecrets = Pick<Environment, "GATEWAY_SECRET" | "GATEWAY_SECRET_OLD">;

/** Whether a request has the gateway's proof, compared in constant time; false without a configured secret. */
export const hasProof = (
  { GATEWAY_SECRET: current, GATEWAY_SECRET_OLD: old }: GatewaySecrets,
  given: string | string[] | undefined,
): boolean => typeof given === "string" && (isEqual(current, given) || isEqual(old, given));

/** Takes the same time for all texts of the secret's length, so an attacker can infer only the length. */
function isEqual(secret: string | undefined, given: string): boolean {
  if (secret === undefined) return false;
  const expected = Buffer.from(secret);
  const sent = Buffer.from(given);
  return expected.length === sent.length && timingSafeEqual(expected, sent);
}

/** The gateway's proof is a secret header. The roles behind the gateway ignore context headers that arrive without the proof. */
import { timingSafeEqual } from "node:crypto";
import { proofHeader } from "../../shared/never-credentials.ts";
import type { Environment } from "../settings/environment.ts";

export { proofHeader };

export type GatewaySecrets = Pick<Environment, "GATEWAY_SECRET" | "GATEWAY_SECRET_OLD">;

/** Whether the header contains a configured secret. */
export const hasProof = (
  { GATEWAY_SECRET: current, GATEWAY_SECRET_OLD: old }: GatewaySecrets,
  given: string | string[] | undefined,
): boolean => typeof given === "string" && (isEqual(current, given) || isEqual(old, given));

/** Compares in a time that depends only on the length, so that an attacker cannot guess the secret character by character. */
function isEqual(secret: string | undefined, given: string): boolean {
  if (secret === undefined) return false;
  const expected = Buffer.from(secret);
  const sent = Buffer.from(given);
  return expected.length === sent.length && timingSafeEqual(expected, sent);
}

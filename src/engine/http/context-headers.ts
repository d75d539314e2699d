/**
 * The eight context headers that the gateway injects, and the pair of functions that writes and reads them. Lists are
 * comma-separated. Commas, percent signs and all but visible ASCII are percent-encoded (RFC 3986 §2.1), so every value
 * arrives unchanged and no value can add another.
 */
import { timingSafeEqual } from "node:crypto";
import type { Environment } from "../settings/environment.ts";

/** The verified caller: the result of key introspection. */
export type TenantContext = {
  tenantId: string;
  userId: string;
  apiKeyId: string;
  roles: readonly string[];
  permissions: readonly string[];
  features: readonly string[];
  keyScopes: readonly string[];
  teams: readonly string[];
};

const suffixes = {
  tenantId: "tenant-id",
  userId: "user-id",
  apiKeyId: "api-key-id",
  roles: "roles",
  permissions: "permissions",
  features: "features",
  keyScopes: "key-scopes",
  teams: "teams",
} as const satisfies Record<keyof TenantContext, string>;

/** Header that carries the gateway's proof (`GATEWAY_SECRET`) to the roles behind it. */
export const proofHeader = "x-gateway-proof";

/** The eight names, lower case, the tenant id's first, for a prefix such as `X-Service-`. */
export const contextHeaderNames = (prefix: string): string[] =>
  Object.values(suffixes).map((suffix) => prefix.toLowerCase() + suffix);

const encode = (value: string): string =>
  value.replace(/[^\x21-\x24\x26-\x2b\x2d-\x7e]/gu, (character) => encodeURIComponent(character));

export function writeContextHeaders(prefix: string, context: TenantContext): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [key, suffix] of Object.entries(suffixes)) {
    const value = context[key as keyof TenantContext];
    headers[prefix.toLowerCase() + suffix] =
      typeof value === "string" ? encode(value) : value.map(encode).join(",");
  }
  return headers;
}

/**
 * Reads the headers of `writeContextHeaders`; `undefined` if one of the three identifiers is missing or a value is
 * malformed.
 */
export function readContextHeaders(
  prefix: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): TenantContext | undefined {
  const raw = (key: keyof TenantContext): string => {
    const value = headers[prefix.toLowerCase() + suffixes[key]];
    return typeof value === "string" ? value : "";
  };
  const values = (key: keyof TenantContext): string[] =>
    raw(key) === "" ? [] : raw(key).split(",").map(decodeURIComponent);
  try {
    const [tenantId, userId, apiKeyId] = [values("tenantId")[0], values("userId")[0], values("apiKeyId")[0]];
    if (!tenantId || !userId || !apiKeyId) return undefined;
    return {
      tenantId,
      userId,
      apiKeyId,
      roles: values("roles"),
      permissions: values("permissions"),
      features: values("features"),
      keyScopes: values("keyScopes"),
      teams: values("teams"),
    };
  } catch {
    return undefined;
  }
}

/** Whether a request came with the gateway's proof; constant time, and never without a configured secret. */
export const hasProof = (
  { GATEWAY_SECRET: current, GATEWAY_SECRET_OLD: old }: Secrets,
  given: string | string[] | undefined,
): boolean => typeof given === "string" && (isEqual(current, given) || isEqual(old, given));

/** Takes the same time for each text as long as the secret. Only the length of the secret shows. */
function isEqual(secret: string | undefined, given: string): boolean {
  if (secret === undefined) return false;
  const [expected, sent] = [Buffer.from(secret), Buffer.from(given)];
  return expected.length === sent.length && timingSafeEqual(expected, sent);
}

type Secrets = Pick<Environment, "GATEWAY_SECRET" | "GATEWAY_SECRET_OLD">;

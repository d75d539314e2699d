/**
 * Writes and reads the eight context headers that the gateway injects. Lists are comma-separated. Commas, percent signs and
 * everything except visible ASCII are percent-encoded (RFC 3986 §2.1), so that a value arrives unchanged and cannot add an item
 * to a list.
 */
import { own } from "../../shared/own.ts";
import type { Environment } from "../settings/environment.ts";
import { contextMembers } from "../settings/validators.ts";
import { type GatewaySecrets, hasProof, proofHeader } from "./gateway-proof.ts";

/** The verified caller, as returned by key introspection. */
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

const suffixes = Object.entries(contextMembers satisfies Record<keyof TenantContext, string>).map(
  ([key, name]) => [key as keyof TenantContext, name.replaceAll("_", "-")] as const,
);

/** Returns the eight header names in lower case for a prefix such as `X-Service-`. The tenant id is the first. */
export const contextHeaderNames = (prefix: string): string[] =>
  suffixes.map(([, suffix]) => prefix.toLowerCase() + suffix);

const encode = (value: string): string =>
  value.replace(/[^\x21-\x24\x26-\x2b\x2d-\x7e]/gu, (character) => encodeURIComponent(character));

export function writeContextHeaders(prefix: string, context: TenantContext): Record<string, string> {
  const headers = suffixes.map(([key, suffix]) => {
    const value = context[key];
    const text = typeof value === "string" ? encode(value) : value.map(encode).join(",");
    return [prefix.toLowerCase() + suffix, text] as const;
  });
  return Object.fromEntries(headers);
}

type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

/** Throws `URIError` if a value is malformed. */
function valuesOf(prefix: string, headers: HeaderValues, suffix: string): string[] {
  const value = own(headers, prefix.toLowerCase() + suffix);
  return typeof value !== "string" || value === "" ? [] : value.split(",").map(decodeURIComponent);
}

/** Returns a list from the context headers of a verified caller; empty if the header is malformed. */
export function readContextList(
  prefix: string,
  headers: HeaderValues,
  member: "permissions" | "keyScopes",
): readonly string[] {
  try {
    return valuesOf(prefix, headers, contextMembers[member].replaceAll("_", "-"));
  } catch {
    return [];
  }
}

/** Returns `undefined` if one of the three ids is missing or a value is malformed. */
export function readContextHeaders(prefix: string, headers: HeaderValues): TenantContext | undefined {
  try {
    const all = Object.fromEntries(suffixes.map(([key, suffix]) => [key, valuesOf(prefix, headers, suffix)]));
    const { tenantId, userId, apiKeyId, ...lists } = all as Record<keyof TenantContext, string[]>;
    const tenant = tenantId[0];
    const user = userId[0];
    const key = apiKeyId[0];
    return tenant && user && key ? { tenantId: tenant, userId: user, apiKeyId: key, ...lists } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the scopes of the caller's key or token; `undefined` without the gateway's proof: then only REST knows them. */
export const readKeyScopes = (
  env: GatewaySecrets & Pick<Environment, "CONTEXT_HEADER_PREFIX">,
  headers: HeaderValues,
): readonly string[] | undefined =>
  hasProof(env, own(headers, proofHeader))
    ? readContextList(env.CONTEXT_HEADER_PREFIX, headers, "keyScopes")
    : undefined;

/**
 * API keys: making them, and who one stands for. Only a SHA-256 digest is stored; the secret exists
 * in the answer of `createKey` alone. A key that is malformed, unknown, expired or revoked is simply not active.
 */
import { hash } from "node:crypto";
import { type ApiEnvironment, formatApiKey, isWellFormed } from "../http/api-key.ts";
import type { TenantContext } from "../http/context-headers.ts";
import { newId, randomBase62 } from "./ids.ts";
import { effectivePermissions } from "./permissions.ts";
import { strings, text } from "./row.ts";
import type { Store, TenantStore } from "./store.ts";

export type Caller = TenantContext & { expiresAt: string | null };

export type NewKey = {
  environment: ApiEnvironment;
  userId: string;
  scopes: readonly string[];
  expiresAt: string | null;
  /** 26 base62 characters; only demo data chooses them. */
  random?: string;
};

const digestOf = (key: string): string => hash("sha256", key);

/** Stores a key for an existing user and answers its id and the secret, which nobody can ask for again. */
export function createKey(store: TenantStore, key: NewKey, now: Date): { id: string; secret: string } {
  const secret = formatApiKey(key.environment, key.random ?? randomBase62(26));
  const id = newId("key");
  store.run("insertKey", {
    id,
    user: key.userId,
    digest: digestOf(secret),
    scopes: JSON.stringify(key.scopes),
    createdAt: now.toISOString(),
    expiresAt: key.expiresAt,
  });
  return { id, secret };
}

export type KeyRules = {
  environment: ApiEnvironment;
  allowDemo: boolean;
  /** Every permission that the contract declares. */
  permissions: readonly string[];
};

/** Who calls with this key, now; `undefined` if it is not active. The checksum saves noise the look-up. */
export function findCaller(store: Store, rules: KeyRules, key: string, now: Date): Caller | undefined {
  if (!isWellFormed(rules.environment, key)) return undefined;
  const row = store.unscoped("keyByDigest", { digest: digestOf(key) });
  if (!row || row.revokedAt !== null || (row.demo === 1 && !rules.allowDemo)) return undefined;
  const expiresAt = row.expiresAt === null ? null : text(row.expiresAt);
  if (expiresAt !== null && expiresAt <= now.toISOString()) return undefined;
  const tenantId = text(row.tenantId);
  const profile = store.tenant(tenantId).get("profileById", { id: text(row.userId) });
  if (!profile) return undefined;
  const keyScopes = strings(row.scopes);
  return {
    tenantId,
    userId: text(row.userId),
    apiKeyId: text(row.id),
    roles: strings(profile.roles),
    permissions: effectivePermissions(rules.permissions, strings(profile.permissions), keyScopes),
    features: strings(profile.features),
    keyScopes,
    teams: strings(profile.teams),
    expiresAt,
  };
}

/**
 * Creates API keys, and finds the caller that a key belongs to. The store contains only the SHA-256 digest of a key. Only the
 * result of `createKey` contains its secret. A key is not active if it is malformed, unknown, expired or revoked.
 */
import { hash } from "node:crypto";
import {
  type ApiEnvironment,
  formatApiKey,
  isWellFormed,
  randomBase62,
  type TenantContext,
} from "restbound/role";
import { newId } from "../store/ids.ts";
import { strings, text } from "../store/row.ts";
import type { Store, TenantStore } from "../store/store.ts";
import { effectivePermissions } from "./permissions.ts";

export type KeyOwner = TenantContext & { expiresAt: string | null };

type NewKey = {
  environment: ApiEnvironment;
  userId: string;
  scopes: readonly string[];
  expiresAt: string | null;
  /** The random part of the key, 26 base62 characters; set only for demo keys. */
  random?: string;
};

const digestOf = (key: string): string => hash("sha256", key);

/** Stores a key for an existing user. Returns the key's id and secret; the secret cannot be read again. */
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
  /** Every permission that the OpenAPI document declares. */
  permissions: readonly string[];
};

/** Returns the caller of a key; `undefined` for an inactive key. A wrong checksum is rejected without a lookup. */
export function findCaller(store: Store, rules: KeyRules, key: string, now: Date): KeyOwner | undefined {
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

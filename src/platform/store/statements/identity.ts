/**
 * SQL of tenants, users, roles and API keys. Every statement reads and writes only rows of `:tenant`, except the statements in
 * `unscoped`. Those run before the tenant is known, or for all tenants.
 */
export const identity = {
  insertTenant: `INSERT INTO tenants (tenant_id, name, features, demo) VALUES (:tenant, :name, :features, :demo)`,
  tenantExists: `SELECT 1 AS found FROM tenants WHERE tenant_id = :tenant`,
  insertRole: `INSERT INTO roles (tenant_id, name, permissions) VALUES (:tenant, :name, :permissions)`,
  insertUser: `INSERT INTO users (tenant_id, id, email, roles, teams) VALUES (:tenant, :id, :email, :roles, :teams)`,
  userById: `SELECT id, email, roles, teams FROM users WHERE tenant_id = :tenant AND id = :id`,
  /** Selects the user, with the permissions of the user's roles and the features of the tenant. */
  profileById: `
    SELECT u.id, u.email, u.roles, u.teams, t.features,
      (SELECT json_group_array(DISTINCT p.value)
        FROM json_each(u.roles) AS held
        JOIN roles AS r ON r.tenant_id = u.tenant_id AND r.name = held.value
        JOIN json_each(r.permissions) AS p) AS permissions
    FROM users AS u JOIN tenants AS t ON t.tenant_id = u.tenant_id
    WHERE u.tenant_id = :tenant AND u.id = :id`,
  insertKey: `
    INSERT INTO api_keys (tenant_id, id, user_id, digest, scopes, created_at, expires_at)
    VALUES (:tenant, :id, :user, :digest, :scopes, :createdAt, :expiresAt)`,
  keys: `
    SELECT id, user_id AS "userId", scopes, created_at AS "createdAt", expires_at AS "expiresAt",
      revoked_at AS "revokedAt"
    FROM api_keys WHERE tenant_id = :tenant ORDER BY created_at, id`,
  revokeKey: `
    UPDATE api_keys SET revoked_at = :now WHERE tenant_id = :tenant AND id = :id AND revoked_at IS NULL`,
  insertUnpublishedRevocation: `INSERT INTO unpublished_revocations (tenant_id, key_id) VALUES (:tenant, :id)`,
  removeUnpublishedRevocation: `DELETE FROM unpublished_revocations WHERE tenant_id = :tenant AND key_id = :id`,
} as const;

export const unscoped = {
  /** Finds a key by its digest. The tenant need not be known, because a digest is unique among all tenants. */
  keyByDigest: `
    SELECT k.tenant_id AS "tenantId", k.id, k.user_id AS "userId", k.scopes, k.expires_at AS "expiresAt",
      k.revoked_at AS "revokedAt", t.demo
    FROM api_keys AS k JOIN tenants AS t ON t.tenant_id = k.tenant_id WHERE k.digest = :digest`,
  /** Selects one revocation that has not been published to the gateways. */
  unpublishedRevocation: `SELECT tenant_id AS "tenantId", key_id AS id FROM unpublished_revocations LIMIT 1`,
  anyTenant: `SELECT EXISTS (SELECT 1 FROM tenants) AS found`,
} as const;

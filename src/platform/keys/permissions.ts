/**
 * The effective permissions (`<area>:<resource>:<action>`) of a key. A key has the permissions that its user's roles grant and
 * its own scopes cover. In a role or a scope, `*` matches any part of a permission, and a single `*` matches every permission.
 */

/** `declared`: the OpenAPI document's permissions. No other permission is effective. */
export const effectivePermissions = (
  declared: readonly string[],
  granted: readonly string[],
  scopes: readonly string[],
): string[] =>
  declared.filter((permission) => isCovered(granted, permission) && isCovered(scopes, permission)).sort();

const isCovered = (by: readonly string[], permission: string): boolean =>
  by.some((one) => covers(one, permission));

/** Whether `granted` covers a declared permission. `granted` is a permission of a role, or a scope of a key. */
export function covers(granted: string, permission: string): boolean {
  if (granted === "*") return true;
  const parts = permission.split(":");
  const wanted = granted.split(":");
  return (
    wanted.length === parts.length && wanted.every((part, index) => part === "*" || part === parts[index])
  );
}

/**
 * Permissions (`<area>:<resource>:<action>`) in effect: those that the user's roles grant and the key's scopes leave.
 * Roles and scopes are written the same way: a permission, in which `*` stands for any part; `*` alone is everything,
 * also what is declared later.
 */

/** `declared` are all that the contract knows; nothing else is ever in effect. */
export const effectivePermissions = (
  declared: readonly string[],
  granted: readonly string[],
  scopes: readonly string[],
): string[] =>
  declared.filter((permission) => isCovered(granted, permission) && isCovered(scopes, permission)).sort();

const isCovered = (by: readonly string[], permission: string): boolean =>
  by.some((one) => covers(one, permission));

/** Whether a permission of a role or a scope of a key covers a declared permission. */
export function covers(granted: string, permission: string): boolean {
  if (granted === "*") return true;
  const parts = permission.split(":");
  const wanted = granted.split(":");
  return (
    wanted.length === parts.length && wanted.every((part, index) => part === "*" || part === parts[index])
  );
}

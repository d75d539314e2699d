/**
 * Permissions (`<area>:<resource>:<action>`) in effect: those of the user's roles, narrowed to the scopes of the key.
 * A scope is a permission, in which `*` stands for any part; `*` alone is everything.
 */

const allowed = /^(\*|([a-z]+|\*):([a-z]+|\*):([a-z]+|\*))$/;

export const isScope = (text: string): boolean => allowed.test(text);

export const effectivePermissions = (ofRoles: readonly string[], scopes: readonly string[]): string[] =>
  ofRoles.filter((permission) => scopes.some((scope) => covers(scope, permission))).sort();

function covers(scope: string, permission: string): boolean {
  if (scope === "*") return true;
  const parts = permission.split(":");
  const wanted = scope.split(":");
  return (
    wanted.length === parts.length && wanted.every((part, index) => part === "*" || part === parts[index])
  );
}

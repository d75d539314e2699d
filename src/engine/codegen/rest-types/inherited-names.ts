/**
 * Names that every object of JavaScript inherits (`valueOf`, `constructor`). openapi-typescript looks names up in
 * plain objects, and takes such a name for one of its own. It sees the name with a prefix, which is taken away from the text
 * that it writes.
 */
const prefix = "own--name--";
const inherited: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

export const guarded = (name: string): string => (inherited.has(name) ? prefix + name : name);

export const unguarded = (text: string): string => text.replaceAll(prefix, "");

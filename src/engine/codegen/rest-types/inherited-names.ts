/**
 * Names that every object of JavaScript inherits (`valueOf`, `constructor`). Redocly's bundler and openapi-typescript look
 * names up in plain objects, and take such a name for one of theirs. They see it with a prefix, which is taken away from
 * the text that they write.
 */
const prefix = "own--name--";
const inherited: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

export const guarded = (name: string): string => (inherited.has(name) ? prefix + name : name);

/** Guards each step of a reference. */
export const guardedReference = (reference: string): string => reference.split("/").map(guarded).join("/");

export const unguarded = (text: string): string => text.replaceAll(prefix, "");

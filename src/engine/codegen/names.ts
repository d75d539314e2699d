/** How names are written in generated TypeScript. */
import { literal } from "./text.ts";

const identifier = /^[A-Za-z_$][\w$]*$/;

/** An object key: literal only where it must be, computed where it would set the prototype. */
export const key = (name: string): string =>
  name === "__proto__" ? '["__proto__"]' : identifier.test(name) ? name : literal(name);

/** `object.a.b`: a chain of properties; `object.a?.b` where one on the way may be null. */
export const access = (object: string, path: readonly string[], isNullable = false): string =>
  path.reduce((chain, name, index) => {
    const optional = isNullable && index > 0 ? "?." : "";
    return identifier.test(name)
      ? `${chain}${optional || "."}${name}`
      : `${chain}${optional}[${literal(name)}]`;
  }, object);

/** `{ a: x, b: y, ...z }`, with shorthand where name and value agree. */
export const object = (
  entries: readonly (readonly [name: string, value: string])[],
  spread?: string,
): string => `{ ${[...entries.map(entry), ...(spread === undefined ? [] : [`...${spread}`])].join(", ")} }`;

const entry = ([name, value]: readonly [name: string, value: string]): string =>
  name === value && identifier.test(name) ? name : `${key(name)}: ${value}`;

/**
 * Escapes text from the spec for generated files: `literal` writes a string or another value, `comment` a comment, and
 * `propertyAccess` and `objectKey` a name. Emitters must not write text in any other way. Control characters are escaped in the
 * whole file.
 */
import { isInherited } from "../../shared/own.ts";

/** Prints a JSON value as a TypeScript expression with double-quoted strings. A key `__proto__` does not set the prototype. */
export const literal = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/(?<=[{,])"__proto__":/g, '["__proto__"]:');

/** Removes string literals and comments, which may contain arbitrary words. */
export const withoutTextAndComments = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\*\*.*?\*\//gs, "");

/**
 * The escaped content of a single-quoted string, because graphql-codegen inserts it unchanged. The first character of a number
 * is escaped, because graphql-codegen would drop the quotes.
 */
export function singleQuoted(text: string): string {
  const escaped = literal(text).slice(1, -1).replaceAll("'", "\\'");
  return /^[-+.\d]/.test(text) ? `\\x${text.charCodeAt(0).toString(16)}${escaped.slice(1)}` : escaped;
}

/** A comment on one line, or with a line for each text. */
export function comment(...texts: readonly string[]): string {
  const lines = texts.map((text) => text.replaceAll(/\s+/g, " ").replaceAll("*/", "*\\/"));
  return lines.length === 1
    ? `/** ${lines[0]} */`
    : `/**\n${lines.map((line) => ` * ${line}`).join("\n")}\n */`;
}

const identifier = /^[A-Za-z_$][\w$]*$/;

/** Prints an object key: quoted only if necessary, computed (`["__proto__"]`) if it would otherwise set the prototype. */
export const objectKey = (name: string): string =>
  name === "__proto__" ? '["__proto__"]' : identifier.test(name) ? name : literal(name);

/** `object.a.b`: a chain of properties; `object.a?.b` if a property on the path may be null. */
export const propertyAccess = (object: string, path: readonly string[], isNullable = false): string =>
  path.reduce((chain, name, index) => {
    const optional = isNullable && index > 0 ? "?." : "";
    return identifier.test(name)
      ? `${chain}${optional || "."}${name}`
      : `${chain}${optional}[${literal(name)}]`;
  }, object);

/**
 * The expression that reads `a.b` of a REST object, where every property on the path may be absent. Names that every object
 * inherits, such as `constructor`, are read by a function of `src/engine/runtime/rest/property.ts`.
 */
export const read = (object: string, path: readonly string[], isNullable = false): string =>
  path.some(isInherited)
    ? `${path.length === 1 ? "property" : "propertyAt"}(${path.map(literal).join(", ")})(${object})`
    : propertyAccess(object, path, isNullable);

/** Prints `{ a: x, b: y, ...z }`, with shorthand properties where the name equals the value. */
export const objectLiteral = (
  entries: readonly (readonly [name: string, value: string])[],
  spread?: string,
): string => `{ ${[...entries.map(entry), ...(spread === undefined ? [] : [`...${spread}`])].join(", ")} }`;

const entry = ([name, value]: readonly [name: string, value: string]): string =>
  name === value && identifier.test(name) ? name : `${objectKey(name)}: ${value}`;

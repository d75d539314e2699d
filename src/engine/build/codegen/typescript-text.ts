/**
 * Escapes text from the spec for generated files. Emitters must print values by `literal`, comments by `comment`, and names by
 * `propertyAccess` and `objectKey`.
 */
import { isInherited } from "../../shared/own.ts";

/**
 * Prints a JSON value as a TypeScript expression. Prints `__proto__` as a computed key, so that it does not set the prototype.
 */
export const literal = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/(?<=[{,])"__proto__":/g, '["__proto__"]:');

export const withoutTextAndComments = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"|\/\*\*.*?\*\//gs, "");

/**
 * Returns the content of a single-quoted string for graphql-codegen, which inserts it unchanged. Escapes the first character of a
 * text that begins like a number, because graphql-codegen omits the quotes of numbers.
 */
export function singleQuoted(text: string): string {
  const escaped = literal(text).slice(1, -1).replaceAll("'", "\\'");
  return /^[-+.\d]/.test(text) ? `\\x${text.charCodeAt(0).toString(16)}${escaped.slice(1)}` : escaped;
}

/** Prints a comment: one text on one line with the delimiters; several texts on separate lines. */
export function comment(...texts: readonly string[]): string {
  const lines = texts.map((text) => text.replaceAll(/\s+/g, " ").replaceAll("*/", "*\\/"));
  return lines.length === 1
    ? `/** ${lines[0]} */`
    : `/**\n${lines.map((line) => ` * ${line}`).join("\n")}\n */`;
}

const identifier = /^[A-Za-z_$][\w$]*$/;

/** Quotes an object key if necessary. Prints `__proto__` as a computed key, so that it does not set the prototype. */
export const objectKey = (name: string): string =>
  name === "__proto__" ? '["__proto__"]' : identifier.test(name) ? name : literal(name);

/** Prints `object.a.b`, or `object.a?.b` if a property on the path may be null. */
export const propertyAccess = (object: string, path: readonly string[], isNullable = false): string =>
  path.reduce((chain, name, index) => {
    const optional = isNullable && index > 0 ? "?." : "";
    return identifier.test(name)
      ? `${chain}${optional || "."}${name}`
      : `${chain}${optional}[${literal(name)}]`;
  }, object);

/**
 * Prints an expression that reads `a.b` of a REST object. For names that every object inherits, such as `constructor`, it calls
 * `property` or `propertyAt` of `restbound/rest`.
 */
export const read = (object: string, path: readonly string[], isNullable = false): string =>
  path.some(isInherited)
    ? `${path.length === 1 ? "property" : "propertyAt"}(${path.map(literal).join(", ")})(${object})`
    : propertyAccess(object, path, isNullable);

/** Prints an object literal such as `{ a: x, b: y, ...z }`. A property whose name equals its value is printed as a shorthand. */
export const objectLiteral = (
  entries: readonly (readonly [name: string, value: string])[],
  spread?: string,
): string => `{ ${[...entries.map(entry), ...(spread === undefined ? [] : [`...${spread}`])].join(", ")} }`;

const entry = ([name, value]: readonly [name: string, value: string]): string =>
  name === value && identifier.test(name) ? name : `${objectKey(name)}: ${value}`;

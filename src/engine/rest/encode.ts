/**
 * The one encoder of every parameter (OpenAPI 3.1 §4.8.12, RFC 3986). A value never changes the route. A query or header
 * leaves out null and undefined, also in an object. A path refuses an empty value and one that holds a dot segment.
 */
import { serializeArrayParam, serializeObjectParam, serializePrimitiveParam } from "openapi-fetch";
import { CodedError } from "../errors.ts";
import type { Operation } from "../standards/operation.ts";

export type Section = Readonly<Record<string, unknown>>;

export const serializeQuery = (operation: Operation, query: Section): string =>
  serializePairs(operation, "query", query);

/** The pairs of a query, or of the body of a form (`application/x-www-form-urlencoded`, OpenAPI 3.1 §4.8.15.1). */
export function serializePairs(
  { style = {} }: Operation,
  location: "query" | "body",
  section: Section,
): string {
  let pairs = "";
  for (const [name, value] of Object.entries(section)) {
    if (value === null || value === undefined) continue;
    const written = wellFormed(name, () => serializeOne(name, value, style[`${location}:${name}`]));
    if (written) pairs += pairs ? `&${written}` : written;
  }
  return pairs;
}

function serializeOne(
  name: string,
  value: unknown,
  written: NonNullable<Operation["style"]>[string] | undefined,
): string {
  const { style = "form", explode = true } = written ?? {};
  if (Array.isArray(value) && !explode && style === "form" && value.every(isPlain) && value.length > 0)
    return `${encodeURIComponent(name)}=${value.join(",")}`; // the hundreds of keys of a batch need no encoding
  if (style === "json") return serializePrimitiveParam(encodeURIComponent(name), jsonOf(name, value));
  if (typeof value !== "object" || value === null)
    return serializePrimitiveParam(encodeURIComponent(name), String(value));
  const members = Array.isArray(value) ? value : membersOf(value);
  const inner = Object.values(members);
  if (inner.some((member) => typeof member === "object"))
    throw refused(name, "is not a value that a query or a form can hold");
  if (inner.length === 0) return "";
  return Array.isArray(members)
    ? serializeArrayParam(encodeURIComponent(name), members, { style: style as "form", explode })
    : serializeObjectParam(encodeURIComponent(name), members, { style: style as "form", explode });
}

/** An object's members with encoded names, because a caller chooses the names in a free-form object. */
const membersOf = (value: object): Record<string, unknown> =>
  Object.fromEntries(given(value).map(([name, member]) => [encodeURIComponent(name), member]));

export const given = (object: object): [string, unknown][] =>
  Object.entries(object).filter(([, value]) => value !== null && value !== undefined);

const unreserved = /^[\w.~-]*$/; // RFC 3986 §2.3
const isPlain = (value: unknown): boolean => typeof value === "string" && unreserved.test(value);

/** Runs `serialize`. A URL cannot hold half of a character (a lone surrogate). */
function wellFormed(name: string, serialize: () => string): string {
  try {
    return serialize();
  } catch (error) {
    if (error instanceof URIError) throw refused(name, "is not well-formed text");
    throw error;
  }
}

/**
 * A parameter or a property as JSON. Half of a character (a lone surrogate) is refused: JSON can write it, but UTF-8 cannot
 * (RFC 8259 §8.2), and REST would store another text.
 */
export function jsonOf(name: string, value: unknown): string {
  const text = JSON.stringify(value);
  if (halfCharacter.test(text)) throw refused(name, "is not well-formed text");
  return text;
}

/** `JSON.stringify` escapes a lone surrogate, and a backslash of the text itself by another one. */
export const halfCharacter = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/**
 * Header parameters have the style `simple` (OpenAPI 3.1 §4.8.12.2) and hold visible ASCII, spaces and tabs (RFC 9110
 * §5.5).
 */
export function serializeHeaders(
  { style = {} }: Operation,
  header: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(header)) {
    if (value === null || value === undefined) continue;
    const text = simple(value, style[`header:${name}`]?.explode === true);
    if (!/^[\t\x20-\x7e]*$/.test(text)) throw refused(name, "is not a value that a header can hold");
    headers[name] = text;
  }
  return headers;
}

function simple(value: unknown, explode: boolean): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return String(value);
  return given(value)
    .map(([name, item]) => `${name}${explode ? "=" : ","}${String(item)}`)
    .join(",");
}

export const refused = (argument: string, why: string): CodedError =>
  new CodedError("BAD_USER_INPUT", `"${argument}" ${why}`, { argument });

/** Fills each `{name}`. Throws `BAD_USER_INPUT` for an empty value, a dot segment or a control character. */
export function serializePath(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeSegment(name, values[name]));
}

const controlCharacter = /\p{Cc}/u;
/**
 * `.` or `..` between slashes or backslashes, a `;` parameter behind it or not, percent-encoded or not. A server that decodes
 * an encoded slash before it removes dot segments, such as nginx, would find another route.
 */
const dotSegment = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[/\\;]|%2f|%5c|%3b)/i;

function encodeSegment(name: string, value: unknown): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((item) => encodeSegment(name, item)).join(",");
  const text = value === null || value === undefined ? "" : String(value);
  if (text === "" || dotSegment.test(text) || controlCharacter.test(text) || !text.isWellFormed()) {
    throw refused(name, "is not a value that a path can hold");
  }
  return encodeURIComponent(text);
}

/**
 * The number that REST takes where GraphQL has text. The argument's schema has refused other text, unless the text
 * stands deeper than the schema checks. Throws `BAD_USER_INPUT`.
 */
export function integer<const Text extends string | null | undefined>(
  text: Text,
): number | Exclude<Text, string> {
  if (text === null || text === undefined) return text as Exclude<Text, string>;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new CodedError("BAD_USER_INPUT", "an id is not the integer that REST takes");
}

/**
 * Marks a value that TypeScript cannot prove: REST takes one of several objects or lists, and the client chooses which.
 * REST judges the value.
 */
// biome-ignore lint/suspicious/noExplicitAny: the value fits whatever REST takes
export const untyped = (value: unknown): any => value;

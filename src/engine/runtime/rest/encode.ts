/**
 * Serializes parameters (OpenAPI 3.1.1 §4.8.12, RFC 3986 §3.3, §3.4). A value never changes the route, and REST decodes exactly
 * the value that was passed: values that would be ambiguous in a style are refused. A query or header omits null and undefined,
 * as a value or as a member of an object, and refuses an empty list. A path refuses an empty value and a dot segment.
 */
import { serializeArrayParam, serializeObjectParam } from "openapi-fetch";
import type { Operation, Style } from "../../shared/operation.ts";
import { Dictionary, own } from "../../shared/own.ts";
import { CodedError } from "../coded-error.ts";
import { isEmptyList } from "./property.ts";

export type Section = Readonly<Record<string, unknown>>;

export const serializeQuery = (operation: Operation, query: Section): string =>
  serializePairs(operation, "query", query);

/** Serializes the query of a URL, or the body of a form (`application/x-www-form-urlencoded`, OpenAPI 3.1 §4.8.15.1). */
export function serializePairs(operation: Operation, location: "query" | "body", section: Section): string {
  const all: Pairs = { operation, location, section };
  let pairs = "";
  for (const [name, value] of Object.entries(section)) {
    if (value === null || value === undefined) continue;
    const written = wellFormed(name, () => serializeOne(name, value, styleOf(all, name), all));
    if (written) pairs += pairs ? `&${written}` : written;
  }
  return pairs;
}

/** All parameters of a query, or all properties of a form. */
type Pairs = {
  readonly operation: Operation;
  readonly location: "query" | "body";
  readonly section: Section;
};

const defaultStyle: Style = { style: "form", explode: true };

const styleOf = ({ operation, location }: Pairs, name: string): Style =>
  own(operation.style ?? {}, `${location}:${name}`) ?? defaultStyle;

function serializeOne(name: string, value: unknown, written: Style, all: Pairs): string {
  const { style, explode, allowReserved } = written;
  if (style !== "json" && Array.isArray(value) && value.length === 1 && value[0] === "")
    throw onlyEmptyItem(name);
  if (Array.isArray(value) && !explode && style === "form" && value.every(isPlain) && value.length > 0)
    return `${encodeURIComponent(name)}=${value.join(",")}`; // fast path for the keys of a batch
  if (all.location === "query" && isEmptyList(value) && style !== "json") throw emptyList(name);
  const isComposed = style !== "json" && typeof value === "object" && value !== null;
  const text = isComposed
    ? serializeComposed(name, value, written, all)
    : `${encodeURIComponent(name)}=${encodeURIComponent(style === "json" ? jsonOf(name, value) : String(value))}`;
  return allowReserved ? withReserved(text, isComposed && !explode) : text;
}

function serializeComposed(name: string, value: object, written: Style, all: Pairs): string {
  const options = { style: written.style as "form", explode: written.explode };
  const inner = Array.isArray(value) ? value : definedParameters(value).map(([, member]) => member);
  if (inner.some((member) => typeof member === "object"))
    throw new Unwritable(
      name,
      "cannot be sent in a query or a form: it contains a null, a list or an object",
    );
  if (inner.length === 0) return "";
  if (Array.isArray(value)) {
    checkItems(name, inner, options.explode ? undefined : separators[options.style]);
    return withoutDelimiters(serializeArrayParam(encodeURIComponent(name), inner, options));
  }
  checkMembers(name, value, options, all);
  return withoutDelimiters(serializeObjectParam(encodeURIComponent(name), membersOf(value), options));
}

/** An empty list has no serialization: REST would see no parameter, so no filter, and would return everything. */
const emptyList = (name: string): Unwritable =>
  new Unwritable(name, "is an empty list, which REST would read as no value at all");

/**
 * Each style serializes a list with one empty string as `name=`, which OpenAPI 3.1.1 §4.8.12.4 also uses for an undefined value.
 * Depending on the server, `name=` is parsed as an empty list, an empty string or no value.
 */
const onlyEmptyItem = (name: string): Unwritable =>
  new Unwritable(name, "has an empty text as its only item, which REST could read as no value at all", [""]);

/** In these styles, a separator and the same character within an item are encoded alike, so REST cannot distinguish them. */
const separators: Readonly<Record<string, string>> = { spaceDelimited: " ", pipeDelimited: "|" };

function checkItems(name: string, items: readonly unknown[], separator: string | undefined): void {
  if (separator === undefined) return;
  const refused = items.map(String).filter((item) => item.includes(separator));
  if (refused.length > 0)
    throw new Unwritable(name, `must not contain "${separator}", which separates its items`, refused);
}

/**
 * Refuses a member of an object if another parameter is serialized under the same name, because servers differ in which value of
 * a repeated name they use. Members of an exploded object become parameters; those of a `deepObject` are named `object[member]`.
 */
function checkMembers(name: string, value: object, style: Style, all: Pairs): void {
  const names = pairNames(name, value, style);
  if (style.style === "deepObject" && definedParameters(value).some(([member]) => /^$|[[\]]/.test(member)))
    throw new Unwritable(name, "must not have a member with an empty name, or with [ or ] in it");
  const others = new Set(credentialNames(all));
  const deep: string[] = [];
  for (const [other, given] of definedParameters(all.section)) {
    if (other === name) continue;
    const written = styleOf(all, other);
    if (written.style === "deepObject") deep.push(`${other}[`);
    for (const each of [other, ...pairNames(other, given, written)]) others.add(each);
  }
  for (const member of names)
    if (others.has(member) || deep.some((start) => member.startsWith(start)))
      throw new Unwritable(name, `must not have a member "${member}", which is a separate parameter`);
}

/** Returns the names under which a parameter is serialized: one per member for an exploded object or a `deepObject`. */
function pairNames(name: string, value: unknown, { style, explode }: Style): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [name];
  const members = definedParameters(value).map(([member]) => member);
  if (style === "deepObject") return members.map((member) => `${name}[${member}]`);
  return style === "form" && explode ? members : [name];
}

/** Returns the names of credentials that are sent in the query (`x-from-header`). */
const credentialNames = ({ operation, location }: Pairs): string[] =>
  Object.values(operation.places ?? {}).flatMap((place) =>
    location === "query" && place.in === "query" ? [place.name] : [],
  );

/**
 * Percent-encodes the delimiters that openapi-fetch leaves unencoded but RFC 3986 §3.4 does not allow in a query:
 * `color%5BR%5D=100`, `blue%7Cblack` (OpenAPI 3.1.1 §4.8.12.4).
 */
const withoutDelimiters = (text: string): string => text.replace(/[[\]|]/g, encodeURIComponent);

/**
 * Decodes the reserved characters that a query may contain (`allowReserved`), except the query's separators. In a list that is
 * not exploded, `,` is a separator too.
 */
const withReserved = (text: string, isList: boolean): string =>
  text.replace(isList ? /%(?:24|2F|3A|3B|3F|40)/g : /%(?:24|2C|2F|3A|3B|3F|40)/g, decodeURIComponent);

/** Encodes the names of an object's members, because the client chooses the names in a free-form object. */
const membersOf = (value: object): Record<string, unknown> =>
  Object.fromEntries(definedParameters(value).map(([name, member]) => [encodeURIComponent(name), member]));

export const definedParameters = (object: object): [string, unknown][] =>
  Object.entries(object).filter(([, value]) => value !== null && value !== undefined);

const unreserved = /^[\w.~-]*$/; // RFC 3986 §2.3
const isPlain = (value: unknown): boolean => typeof value === "string" && unreserved.test(value);

/** Refuses a lone surrogate, which cannot be encoded in a URL. */
function wellFormed(name: string, serialize: () => string): string {
  try {
    return serialize();
  } catch (error) {
    if (error instanceof URIError) throw new Unwritable(name, "is not well-formed text");
    throw error;
  }
}

/** Refuses a lone surrogate: JSON can escape it, but UTF-8 cannot encode it (RFC 8259 §8.2), so REST would change it. */
export function jsonOf(name: string, value: unknown): string {
  const text = JSON.stringify(value);
  if (loneSurrogate.test(text)) throw new Unwritable(name, "is not well-formed text");
  return text;
}

/** Matches a lone surrogate in the output of `JSON.stringify`: it is escaped as `\ud800`, a backslash as `\\`. */
export const loneSurrogate = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/**
 * Serializes header parameters in the style `simple` (OpenAPI 3.1 §4.8.12.2). Header values consist of visible ASCII characters
 * with spaces and tabs in between (RFC 9110 §5.5) and are not percent-encoded.
 */
export function serializeHeaders(
  { style = {} }: Operation,
  header: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const headers = new Dictionary<string>();
  for (const [name, value] of Object.entries(header)) {
    if (value === null || value === undefined) continue;
    if (isEmptyList(value)) throw emptyList(name);
    const text =
      typeof value === "object"
        ? serializeSimple(name, value, own(style, `header:${name}`)?.explode === true)
        : String(value);
    if (text === undefined) continue;
    if (!fieldValue.test(text)) throw new Unwritable(name, "cannot be sent in a header");
    headers[name] = text;
  }
  return headers;
}

const fieldValue = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;

/**
 * Returns `undefined` for an empty object. Refuses items with a comma, which is the separator, and empty items, which REST would
 * ignore (RFC 9110 §5.6.1.2).
 */
function serializeSimple(name: string, value: object, explode: boolean): string | undefined {
  const isList = Array.isArray(value);
  const members = isList ? value.map((item): [string, unknown] => ["", item]) : definedParameters(value);
  const written = members.flatMap(([member, item]) => {
    if (typeof item === "object")
      throw new Unwritable(name, "cannot be sent in a header: it contains a null, a list or an object");
    return isList ? [String(item)] : explode ? [`${member}=${String(item)}`] : [member, String(item)];
  });
  const refused = written.filter((part) => part.includes(",") || part.trim() !== part || part === "");
  if (refused.length > 0 || (explode && !isList && members.some(([member]) => member.includes("="))))
    throw new Unwritable(
      name,
      'must not have items in a header that are empty, begin or end with a space, or contain ","',
      refused,
    );
  return written.length === 0 ? undefined : written.join(",");
}

/** The error for a value that REST would decode as another value. Thrown before the call is made. */
export class Unwritable extends CodedError {
  /** The reason, without the argument's name: for example, `cannot be sent in a URL path`. */
  readonly why: string;
  /** The refused items, if the value is a list. */
  readonly items: readonly unknown[];

  constructor(argument: string, why: string, items: readonly unknown[] = []) {
    super("BAD_USER_INPUT", `"${argument}" ${why}`, { argument });
    this.why = why;
    this.items = items;
  }
}

/**
 * Replaces each `{name}` in a path. Throws `BAD_USER_INPUT` for an empty value, a control character or a dot segment, even if
 * part of the dot segment is in the template, as in `/files/.{name}`.
 */
export function serializePath(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replace(/(?:\{[^{}]+\}|[^/])+/g, (segment) => {
    const [, first] = placeholder.exec(segment) ?? [];
    if (first === undefined) return segment;
    const encoded = segment.replace(placeholders, (_, name: string) =>
      encodeSegment(name, own(values, name)),
    );
    if (segment.length === first.length + "{}".length) return encoded;
    const text = segment.replace(placeholders, (_, name: string) => String(own(values, name)));
    if (dotSegment.test(text)) throw new Unwritable(first, "cannot be sent in a URL path");
    return encoded;
  });
}

const placeholder = /\{([^{}]+)\}/;
const placeholders = new RegExp(placeholder, "g");

/** Percent-encodes the characters of a path template that a URL cannot contain (RFC 3986 §3.3), except in `{name}`. */
export const encodeTemplate = (path: string): string =>
  path.replace(/\{[^{}]*\}|%(?![\da-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]+/gi, (found) =>
    found.startsWith("{") ? found : encodeURIComponent(found),
  );

const controlCharacter = /\p{Cc}/u;
/**
 * Matches the segments `.` and `..`, with or without a `;` parameter, percent-encoded or not. These segments are refused because
 * a server that decodes slashes before it removes dot segments, such as nginx, would select another route.
 */
const dotSegment = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[/\\;]|%2f|%5c|%3b)/i;

function encodeSegment(name: string, value: unknown): string {
  const items = Array.isArray(value) ? value : [value];
  const refused = items.filter((item) => !isSegment(item));
  if (refused.length > 0 || items.length === 0)
    throw new Unwritable(name, "cannot be sent in a URL path", refused);
  return items.map(encodeURIComponent).join(",");
}

function isSegment(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "object") return false;
  const text = String(value);
  return text !== "" && !dotSegment.test(text) && !controlCharacter.test(text) && text.isWellFormed();
}

/**
 * Converts an `ID` to the integer that REST expects. Throws `BAD_USER_INPUT` for other strings, which the argument's JSON Schema
 * lets pass only in deeply nested values.
 */
export function integer<const Text extends string | null | undefined>(
  text: Text,
): number | Exclude<Text, string> {
  if (text === null || text === undefined) return text as Exclude<Text, string>;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw new CodedError("BAD_USER_INPUT", "an id is not the integer that REST expects");
}

/** Disables type checks of a value that may be one of several objects or lists: only REST can validate the choice. */
// biome-ignore lint/suspicious/noExplicitAny: the value is assignable to any type that REST expects
export const untyped = (value: unknown): any => value;

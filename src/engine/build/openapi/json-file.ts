/**
 * Parses plain JSON (RFC 8259), about ten times as fast as a YAML parser. `JSON.parse` returns no locations, so the text is
 * searched when a finding needs one. The search indexes the members of each object on the path and skips all other values.
 */
import { endOfString } from "../../shared/json-values.ts";

type JsonFile = {
  readonly value: unknown;
  offsetAt(path: Steps): number;
  /** The path of the innermost value or key at an offset. */
  pathAt(offset: number): string[];
};

type Steps = readonly (string | number)[];

/** The deepest nesting that is parsed here. Deeper documents are left to the YAML parser, which reports excessive depth. */
const maxDepth = 500;

/** Returns `undefined` for text that the YAML parser must read: not JSON, too deeply nested, or with a repeated key. */
export function parseJson(text: string): JsonFile | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const colons = colonsIn(text);
    // of duplicate keys, `JSON.parse` keeps only one, so there are fewer keys than colons
    const isPlain = !Number.isNaN(colons) && colons === keysIn(value);
    return isPlain
      ? { value, offsetAt: offsetFinder(text), pathAt: (offset) => pathAt(text, offset) }
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Counts the colons outside strings; returns NaN if the nesting is too deep. */
function colonsIn(text: string): number {
  let colons = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === colon) colons++;
    else if (opens(code) && ++depth > maxDepth) return Number.NaN;
    else if (closes(code)) depth--;
  }
  return colons;
}

/** Counts the keys of all objects. Uses `for in`, because `Object.keys` would create an array for each object. */
function keysIn(value: Readonly<Record<string, unknown>>): number {
  let keys = 0;
  const isList = Array.isArray(value);
  for (const key in value) {
    const member = value[key];
    if (!isList) keys++;
    if (typeof member === "object" && member !== null) keys += keysIn(member as typeof value);
  }
  return keys;
}

/** The offset of an object's key or of a list's item, and the offset of the value there. */
type Member = readonly [offset: number, valueOffset: number];

/** Returns a function that finds the offset of the key or item at a path, or of its nearest existing ancestor. */
function offsetFinder(text: string): (path: Steps) => number {
  const known = new Map<number, ReadonlyMap<string, Member>>();
  const membersAt = (offset: number): ReadonlyMap<string, Member> => {
    const members = known.get(offset) ?? readMembers(text, offset);
    known.set(offset, members);
    return members;
  };
  return (path) => {
    let offset = skipSpace(text, 0);
    let value = offset;
    for (const step of path) {
      const member = opens(text.charCodeAt(value)) ? membersAt(value).get(String(step)) : undefined;
      if (!member) break;
      [offset, value] = member;
    }
    return offset;
  };
}

function pathAt(text: string, offset: number): string[] {
  const path: string[] = [];
  let value = skipSpace(text, 0);
  while (opens(text.charCodeAt(value))) {
    const members = [...readMembers(text, value)];
    const last = members.findLast(([, [start]]) => start <= offset);
    if (!last) break;
    const [key, [, valueOffset]] = last;
    if (offset >= endOfValue(text, valueOffset)) break;
    path.push(key);
    if (offset < valueOffset) break;
    value = valueOffset;
  }
  return path;
}

function readMembers(text: string, start: number): Map<string, Member> {
  const members = new Map<string, Member>();
  const isObject = text.charCodeAt(start) === brace;
  let at = skipSpace(text, start + 1);
  while (!closes(text.charCodeAt(at))) {
    const offset = at;
    if (isObject) at = skipSpace(text, skipSpace(text, endOfString(text, at) + 1) + 1);
    const key = isObject ? keyAt(text, offset) : String(members.size);
    members.set(key, [offset, at]);
    at = skipSpace(text, endOfValue(text, at));
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
  return members;
}

const keyAt = (text: string, offset: number): string =>
  JSON.parse(text.slice(offset, endOfString(text, offset) + 1)) as string;

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (opens(code)) depth++;
    else if (closes(code) && --depth < 0) return at;
    else if (code === comma && depth === 0) return at;
    if (depth === 0 && (code === quote || closes(code))) return at + 1;
  }
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= space) at++;
  return at;
}

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const brace = 0x7b;
const bracket = 0x5b;
const closingBrace = 0x7d;
const closingBracket = 0x5d;
const opens = (code: number): boolean => code === brace || code === bracket;
const closes = (code: number): boolean => code === closingBrace || code === closingBracket;

/**
 * Splits a large JSON text (RFC 8259) into its members or items, so that each can be parsed separately: `JSON.parse` of 8 MiB
 * blocks the process for 20 ms to a second. The parts themselves are not validated.
 */
import { endOfString } from "../json-values.ts";
import { own } from "../own.ts";
import type { Slices } from "../slices.ts";

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const brackets: Readonly<Record<string, string>> = { "{": "}", "[": "]" };
const opening = new Set(Object.keys(brackets).map((text) => text.charCodeAt(0)));
const closing = new Set(Object.values(brackets).map((text) => text.charCodeAt(0)));
/** Matches any character except JSON's white space. `trim` would also remove characters that are invalid in JSON. */
const notSpace = /[^\t\n\r ]/;

/** The number of characters after which the code checks again whether the current time slice is over. */
const pieceLength = 16_384;

/** Yields the texts of an array's items or of an object's members. Throws `SyntaxError` if the text is neither. */
export async function* itemsOf(text: string, slices: Slices): AsyncGenerator<string> {
  const start = text.search(notSpace);
  const close = own(brackets, text.charAt(start));
  if (close === undefined) throw new SyntaxError("neither an object nor an array");
  let depth = 0;
  let from = start + 1;
  let nextCheck = start + pieceLength;
  for (let at = start; at < text.length; at++) {
    if (at >= nextCheck) {
      nextCheck = at + pieceLength;
      if (slices.isOver) await slices.next();
    }
    const unit = text.charCodeAt(at);
    if (unit === quote) at = endOfString(text, at);
    else if (opening.has(unit)) depth++;
    else if (unit === comma && depth === 1) {
      yield text.slice(from, at);
      from = at + 1;
    } else if (closing.has(unit) && --depth === 0) {
      const last = text.slice(from, at);
      if (from > start + 1 || notSpace.test(last)) yield last;
      if (text.charAt(at) !== close || notSpace.test(text.slice(at + 1))) break;
      return;
    }
  }
  throw new SyntaxError("the JSON text does not end with its container");
}

/** The name of a member, and the text of its value. Throws `SyntaxError` if the text is not a member. */
export function memberOf(text: string): { readonly name: string; readonly value: string } {
  const start = text.search(notSpace);
  const end = endOfString(text, start);
  const name: unknown = JSON.parse(text.slice(start, end + 1));
  const at = text.slice(end + 1).search(notSpace) + end + 1;
  if (typeof name !== "string" || text.charCodeAt(at) !== colon) throw new SyntaxError("not a member");
  return { name, value: text.slice(at + 1) };
}

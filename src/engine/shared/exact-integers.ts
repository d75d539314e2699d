/**
 * Preserves JSON integers beyond 2^53 as strings: JavaScript's numbers would round them, and a rounded id identifies another
 * record. Most texts have no such integer, which a sample of every 16th byte shows quickly.
 */
import { endOfString } from "./json-values.ts";

/** Number of digits of the smallest unsafe integer, 9007199254740992. */
const digits = 16;
const zero = 0x30;
const nine = 0x39;
const point = 0x2e;
const quote = 0x22;
const isDigit = (byte = 0): boolean => byte >= zero && byte <= nine;

/** Matches an integer of at least `digits` digits that is not an object key. */
const longInteger = /(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE]|\s*:)/g;

/** Whether the number may be the result of rounding another integer. */
export const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** Returns a number in the JSON value for which `test` is true. Iterative, so that deep nesting cannot overflow the stack. */
export function findNumber(value: unknown, test: (value: number) => boolean): number | undefined {
  const values = [value];
  while (values.length > 0) {
    const next = values.pop();
    if (typeof next === "number" && test(next)) return next;
    if (typeof next === "object" && next !== null) for (const each of Object.values(next)) values.push(each);
  }
  return undefined;
}

/** Decodes a JSON body (RFC 8259, UTF-8), with integers beyond 2^53 as strings. */
export function exactText(body: Buffer): string {
  const text = body.toString("utf8");
  return hasLongInteger(body) ? quoted(text) : text;
}

/** Whether a run of at least `digits` digits may be an integer: no quote and no decimal point precedes it. */
function hasLongInteger(body: Buffer): boolean {
  for (let at = digits - 1; at < body.length; at += digits) {
    if (!isDigit(body[at])) continue;
    if (!isDigit(body[at - digits / 2]) && !isDigit(body[at + digits / 2])) continue; // the run is too short
    let start = at;
    let end = at + 1;
    while (isDigit(body[start - 1])) start--;
    while (isDigit(body[end])) end++;
    const before = body[start - 1];
    if (end - start >= digits && before !== point && before !== quote) return true;
    at = end - 1;
  }
  return false;
}

/** Puts integers beyond 2^53 in quotes, except object keys, because an unquoted key must remain a syntax error. */
function quoted(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const string = text.indexOf('"', at);
    const end = string < 0 ? text.length : string;
    const part = text.slice(at, end);
    const exact = part.replace(longInteger, (integer) =>
      isRounded(Number(integer)) ? `"${integer}"` : integer,
    );
    if (exact !== part) {
      pieces.push(text.slice(copied, at), exact);
      copied = end;
    }
    at = string < 0 ? end : endOfString(text, string) + 1;
  }
  return pieces.join("") + text.slice(copied);
}

/**
 * Keeps the integers of JSON exact beyond 2^53, as strings: JavaScript's numbers would round them, and a rounded id is the
 * id of another record. Usual texts have none, and their bytes are looked through in steps of 16.
 */
import { endOfString } from "./json-values.ts";

/** Digits of the least integer that is not safe: 9007199254740992. */
const digits = 16;
const zero = 0x30;
const nine = 0x39;
const point = 0x2e;
const quote = 0x22;
const isDigit = (byte = 0): boolean => byte >= zero && byte <= nine;

/** An integer of so many digits, where no object's key stands. */
const longInteger = /(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE]|\s*:)/g;

/** Whether the number may stand for another integer, which was rounded to it. */
export const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** The text of a JSON body (RFC 8259) in UTF-8, with its integers beyond 2^53 as strings. */
export function exactText(body: Buffer): string {
  const text = body.toString("utf8");
  return hasLongInteger(body) ? quoted(text) : text;
}

/** Whether a run of digits may be a long integer. A run that follows a quote or a point is none. */
function hasLongInteger(body: Buffer): boolean {
  for (let at = digits - 1; at < body.length; at += digits) {
    if (!isDigit(body[at])) continue;
    if (!isDigit(body[at - digits / 2]) && !isDigit(body[at + digits / 2])) continue; // too short on both sides
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

/** The text with its long integers as strings. A text that is no JSON stays none: a string may stand where a number may. */
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

/** Characters in untrusted text that control a terminal, a log or an editor. */

/** Control characters except the newline, line separators and bidirectional marks (UAX #9 §2). */
export const controlCharacters = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** For TypeScript, JSON or SDL, where an escape in a string denotes the same character. */
export const escapeControlCharacters = (text: string): string =>
  text.replace(controlCharacters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Characters that steer a terminal, a log or an editor, in text that somebody else has written. */

/** Control characters, line separators and the marks that turn text around (UAX #9 §2); a newline is layout. */
export const controlCharacters = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** TypeScript, JSON or SDL, in whose strings an escape is the same text. */
export const escapeControlCharacters = (text: string): string =>
  text.replace(controlCharacters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

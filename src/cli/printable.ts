/** Text of a spec or a variable where a person reads it: no character of it steers a terminal, a log or an editor. */

/** Control characters, line separators and the marks that turn text around (UAX #9 §2); a newline is layout. */
export const steering = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** One line: a line that starts with `::` would be a command to GitHub's runner. */
export const printable = (text: string): string =>
  text.replaceAll(/\s*[\r\n]\s*/g, " ").replace(steering, "\uFFFD");

/** Text of several lines. */
export const printableLines = (text: string): string => text.replace(steering, "\uFFFD");

/** A whole file of TypeScript, JSON or SDL, in whose strings an escape is the same text. */
export const escaped = (file: string): string =>
  file.replace(steering, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Quotes a word of a command line: the method and path of an operation has a space. */
export const asWord = (name: string): string =>
  /^[\w./@:+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;

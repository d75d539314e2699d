/** Text of a spec or a variable where a person reads it: no character of it steers a terminal, a log or an editor. */
import { controlCharacters, escapeControlCharacters } from "../control-characters.ts";

/** One line. */
export const printable = (text: string): string =>
  withoutCommands(text.replaceAll(/\s*[\r\n]\s*/g, " ").replace(controlCharacters, "\uFFFD"));

/** Text of several lines. */
export const printableLines = (text: string): string =>
  withoutCommands(text.replace(controlCharacters, "\uFFFD"));

/** SDL or TypeScript of several lines: steering characters of its strings are escapes. */
export const printableSource = (text: string): string => withoutCommands(escapeControlCharacters(text));

/** Runners of CI obey a line that starts with `::error`, and `##[error]` or `##vso[` anywhere in a line. */
const withoutCommands = (text: string): string =>
  text.replaceAll(/^(\s*:)(?=:)/gm, "$1 ").replaceAll(/##(?=\[|vso\[)/gi, "## ");

/** Quotes a word of a command line: the method and path of an operation has a space. */
export const quoteArgument = (name: string): string =>
  /^[\w./@:+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;

/** Labels of Mermaid graphs. Mermaid writes characters as entities with `#` in place of `&`. */
export const mermaidLabel = (text: string): string =>
  `"${text.replaceAll(/[#&"'<>`\\\n]/g, (each) => `#${each.codePointAt(0)};`)}"`;

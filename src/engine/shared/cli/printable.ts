/** Makes untrusted text safe to print: escapes characters that would control a terminal, a log or an editor. */
import { controlCharacters, escapeControlCharacters } from "../control-characters.ts";

/** Makes the text safe to print, as a single line. */
export const printable = (text: string): string =>
  withoutCommands(text.replaceAll(/\s*[\r\n]\s*/g, " ").replace(controlCharacters, "\uFFFD"));

/** Like `printable`, but keeps line breaks. */
export const printableLines = (text: string): string =>
  withoutCommands(text.replace(controlCharacters, "\uFFFD"));

/** Like `printableLines`, for SDL or TypeScript: control characters in string literals become escapes. */
export const printableSource = (text: string): string => withoutCommands(escapeControlCharacters(text));

/**
 * Changes text that a CI runner would execute as a command when it is printed: a line that starts with, for example, `::error`,
 * and `##[` or `##vso[` anywhere.
 */
const withoutCommands = (text: string): string =>
  text.replaceAll(/^(\s*:)(?=:)/gm, "$1 ").replaceAll(/##(?=\[|vso\[)/gi, "## ");

/** Quotes a shell argument if it contains special characters or spaces, such as `GET /things`. */
export const quoteArgument = (name: string): string =>
  /^[\w./@:+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;

/** Escapes a label of a Mermaid graph. Mermaid's character entities begin with `#`, not with `&` as in HTML. */
export const mermaidLabel = (text: string): string =>
  `"${text.replaceAll(/[#&"'<>`\\\n]/g, (each) => `#${each.codePointAt(0)};`)}"`;

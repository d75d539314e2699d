/** Characters of untrusted text that control a terminal, a log or an editor, and invisible characters. */

/**
 * Characters without a glyph (`Default_Ignorable_Code_Point`: zero-width ones, tags, fillers) and those that change the direction
 * of a text (UAX #9 §2). A joiner or a variation selector after a non-ASCII character does not match, because Persian and emoji
 * need it.
 */
export const invisibleCharacters =
  /(?!(?<=\P{ASCII})(?<!\p{DI})(?:\u200c|\u200d|\ufe0e|\ufe0f))[\p{DI}\p{Bidi_C}\ufff9-\ufffb]/gu;

/** Matches control characters other than the newline, Unicode's line and paragraph separators, and invisible characters. */
export const controlCharacters = new RegExp(
  `(?!\\n)[\\p{Cc}\\p{Zl}\\p{Zp}]|${invisibleCharacters.source}`,
  "gu",
);

/** Escapes control characters in TypeScript, JSON or SDL, where an escape in a string denotes the same character. */
export const escapeControlCharacters = (text: string): string => text.replace(controlCharacters, escapeUnits);

const escapeUnits = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** Prints the lines around a source location, with line numbers and a caret below the column. */
import { printable } from "./printable.ts";

/** Maximum number of columns. Longer lines are cut, so that a minified document does not fill the screen. */
const widest = 160;
/** Number of columns that remain before the location if the beginning of a line is cut. */
const before = 40;

export const linesOf = (text: string): readonly string[] => text.split(/\r\n|\n|\r/);

export function codeFrame(lines: readonly string[], line: number, column: number): string {
  const first = Math.max(1, line - 1);
  const last = Math.min(lines.length, line + 1);
  const width = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const marker = number === line ? ">" : " ";
    const isMarked = number === line;
    const from = isMarked && column > widest ? column - 1 - before : 0;
    const text = visible(lines[number - 1] ?? "", from);
    shown.push(`${marker} ${String(number).padStart(width)} | ${text}`.trimEnd());
    // a cut line begins with an ellipsis, which takes one column
    const caret = from > 0 ? before + 1 : column - 1;
    if (isMarked) shown.push(`  ${" ".repeat(width)} | ${" ".repeat(caret)}^`);
  }
  return shown.join("\n");
}

/** Cuts a line of a spec file, and replaces control characters, because printing them could control the terminal. */
const visible = (line: string, from: number): string => {
  const safe = printable(line.replaceAll("\t", " "));
  const end = from + widest;
  return `${from > 0 ? "…" : ""}${safe.slice(from, end)}${safe.length > end ? "…" : ""}`;
};

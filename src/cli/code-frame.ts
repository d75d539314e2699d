/** Prints the lines around a place, with line numbers and a caret below the column. */
import { printable } from "./printable.ts";

/** Columns. Longer lines are cut: a minified document must not fill the screen. */
const widest = 160;

export const linesOf = (text: string): readonly string[] => text.split(/\r\n|\n|\r/);

export function codeFrame(lines: readonly string[], line: number, column: number): string {
  const first = Math.max(1, line - 1);
  const last = Math.min(lines.length, line + 1);
  const width = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number++) {
    const marker = number === line ? ">" : " ";
    shown.push(`${marker} ${String(number).padStart(width)} | ${visible(lines[number - 1] ?? "")}`.trimEnd());
    if (number === line && column <= widest)
      shown.push(`  ${" ".repeat(width)} | ${" ".repeat(column - 1)}^`);
  }
  return shown.join("\n");
}

/** Replaces control characters: a spec file must not steer the terminal. */
const visible = (line: string): string => {
  const safe = printable(line.replaceAll("\t", " "));
  return safe.length > widest ? `${safe.slice(0, widest)}…` : safe;
};

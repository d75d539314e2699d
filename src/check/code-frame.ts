/** The lines around a place, numbered, with a caret below it. */

/** Lines wider than this are cut: a minified document must not fill the screen. */
const widest = 160;

export function codeFrame(text: string, line: number, column: number): string {
  const lines = text.split(/\r\n|\n|\r/);
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

/** A control character in a spec file must not steer the terminal. */
const visible = (line: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
  const safe = line.replaceAll("\t", " ").replace(/[\u0000-\u001f\u007f-\u009f]/g, "\uFFFD");
  return safe.length > widest ? `${safe.slice(0, widest)}…` : safe;
};

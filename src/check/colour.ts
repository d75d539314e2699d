/** The few colours of a terminal (ECMA-48 SGR); plain text everywhere else. */

export type Paint = (style: keyof typeof codes, text: string) => string;

const codes = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;

export const painter =
  (colour: boolean): Paint =>
  (style, text) =>
    colour ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;

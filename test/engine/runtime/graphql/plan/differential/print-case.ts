/** Prints a case so that a reader can repeat it by hand. */
import type { NumberedCase } from "./cases.ts";

export const printCase = (seed: number, { index, given, text, variables, faults }: NumberedCase): string => `
${given.text}

${text}

variables ${JSON.stringify(variables)}, share of faults ${JSON.stringify(faults)}
again: SEED=${seed} DIFFERENTIAL_CASE=${index} npm test -- differential
`;

/** A finding's fingerprint: rule, coordinate and canonical facts, so that an approval outlives a change of wording. */
import { hash } from "node:crypto";

/** Twelve hex digits: 48 bits are enough among the findings of one project. */
export const fingerprint = (rule: string, coordinate: string, facts: readonly unknown[]): string =>
  hash("sha256", JSON.stringify([rule, coordinate, facts])).slice(0, 12);

/** The fingerprint of a finding. It holds no message, so that an approval stays valid when a message is reworded. */
import { hash } from "node:crypto";
import type { Diagnostic } from "../diagnostic.ts";

/** `facts` are the canonical values before and after. Twelve hex digits tell the findings of one project apart. */
export const fingerprint = (rule: string, coordinate: string, facts: readonly unknown[]): string =>
  hash("sha256", JSON.stringify([rule, coordinate, facts])).slice(0, 12);

export const fingerprintOf = ({ rule, coordinate, facts = [] }: Diagnostic): string =>
  fingerprint(rule, coordinate, facts);

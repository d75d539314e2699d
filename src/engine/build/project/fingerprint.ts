/** The fingerprint of a finding. Does not depend on the message, so that approvals stay valid when messages are reworded. */
import { hash } from "node:crypto";
import type { Diagnostic } from "../diagnostic.ts";

/** `facts`: the canonical values before and after. Twelve hex digits suffice to distinguish the findings of a project. */
export const fingerprint = (rule: string, coordinate: string, facts: readonly unknown[]): string =>
  hash("sha256", JSON.stringify([rule, coordinate, facts])).slice(0, 12);

export const fingerprintOf = ({ rule, coordinate, facts = [] }: Diagnostic): string =>
  fingerprint(rule, coordinate, facts);

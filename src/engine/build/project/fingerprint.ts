/** Fingerprints, by which approvals refer to findings. */
import { hash } from "node:crypto";
import type { Diagnostic } from "../diagnostic.ts";

/**
 * Identifies a finding for approvals. Does not depend on the message, so that approvals stay valid when messages are reworded.
 * `facts`: the normalized values before and after the change.
 */
export const fingerprint = (rule: string, coordinate: string, facts: readonly unknown[]): string =>
  hash("sha256", JSON.stringify([rule, coordinate, facts])).slice(0, 12);

export const fingerprintOf = ({ rule, coordinate, facts = [] }: Diagnostic): string =>
  fingerprint(rule, coordinate, facts);

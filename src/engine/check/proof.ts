/** Stages 1 and 2: turns the diagnostics of loading and binding into findings of the report. */

import type { SpecSnapshot } from "../bind/spec-snapshot.ts";
import { type Diagnostic, rules } from "../diagnostic.ts";
import { fingerprint } from "./fingerprint.ts";
import { frameAt } from "./frame.ts";
import type { Finding } from "./report.ts";

/** `told`: diagnostics that other findings tell. */
export const proofFindings = (snapshot: SpecSnapshot, told: ReadonlySet<Diagnostic>): Finding[] =>
  snapshot.diagnostics.flatMap((each) => (told.has(each) ? [] : diagnosticFinding(snapshot, each)));

export function diagnosticFinding(snapshot: SpecSnapshot, diagnostic: Diagnostic): Finding {
  const { rule, severity, coordinate, message, hint, schema, rest } = diagnostic;
  const { stage } = rules[rule];
  return {
    stage,
    rule,
    severity,
    coordinate,
    message,
    hint,
    places: [
      ...(schema ? [frameAt(snapshot, stage === "impact" ? "operation" : "schema", schema)] : []),
      ...(rest ? [frameAt(snapshot, "rest", rest)] : []),
    ],
    operations: [],
    ...(severity === "warning" && { fingerprint: fingerprint(rule, coordinate, diagnostic.facts ?? []) }),
  };
}

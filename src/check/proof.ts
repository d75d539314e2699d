/** Stages 1 and 2: what loading and binding found, as findings of the report. */
import type { Diagnostic, Rule } from "../spec/diagnostic.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Finding, Stage } from "./report.ts";
import type { Side } from "./side.ts";

const loading = new Set<Rule>([
  "spec-unreadable",
  "ref-unresolved",
  "ref-circular",
  "operation-id-missing",
  "operation-id-duplicate",
  "schema-invalid",
  "type-name-taken",
]);

export const proofFindings = (side: Side): Finding[] =>
  side.diagnostics.map((diagnostic) => toFinding(diagnostic, side.frame));

function toFinding(diagnostic: Diagnostic, frame: Side["frame"]): Finding {
  const { rule, severity, coordinate, message, hint, schema, rest } = diagnostic;
  const saved = rule === "saved-operation-invalid";
  const stage: Stage = loading.has(rule) ? "load" : saved ? "impact" : "proof";
  return {
    stage,
    rule,
    severity,
    coordinate,
    message,
    hint,
    places: [
      ...(schema ? [frame(saved ? "operation" : "schema", schema)] : []),
      ...(rest ? [frame("rest", rest)] : []),
    ],
    operations: [],
    ...(severity === "warning" && { fingerprint: fingerprint(rule, coordinate, diagnostic.facts ?? []) }),
  };
}

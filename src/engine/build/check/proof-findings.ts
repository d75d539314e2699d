/** Stages 1 and 2: converts the diagnostics of loading and binding to findings of the report. */

import { type Diagnostic, isApprovable, rules } from "../diagnostic.ts";
import { fingerprintOf } from "../project/fingerprint.ts";
import type { Project } from "../project/project.ts";
import { frameAt } from "./frame.ts";
import type { Finding } from "./report.ts";

/** `reported`: diagnostics that are covered by other findings. */
export const proofFindings = (project: Project, reported: ReadonlySet<Diagnostic>): Finding[] =>
  project.diagnostics.flatMap((each) => (reported.has(each) ? [] : diagnosticFinding(project, each)));

export function diagnosticFinding(project: Project, diagnostic: Diagnostic): Finding {
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
      ...(schema ? [frameAt(project, stage === "impact" ? "operation" : "schema", schema)] : []),
      ...(rest ? [frameAt(project, "rest", rest)] : []),
    ],
    operations: [],
    ...(isApprovable(rule) && { fingerprint: fingerprintOf(diagnostic) }),
  };
}

/** Whether the base has the same warning, so that no change since then caused it. */
export function knownAt({ diagnostics }: Project): (finding: Finding) => boolean {
  const known = new Set(
    diagnostics.flatMap((each) => (each.severity === "warning" ? fingerprintOf(each) : [])),
  );
  return (finding) => !finding.change && known.has(finding.fingerprint ?? "");
}

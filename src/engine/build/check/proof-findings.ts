/** Stages 1 and 2: converts the diagnostics of loading and binding to findings. */

import { oftenMeantOtherwise } from "../bind/inputs/check-conditions.ts";
import { type Diagnostic, isApprovable, rules } from "../diagnostic.ts";
import { fingerprintOf } from "../project/fingerprint.ts";
import type { Project } from "../project/project.ts";
import { frameAt } from "./frame.ts";
import type { Finding } from "./report.ts";

/**
 * Converts all diagnostics except those in `reported`, which have findings already. Merges diagnostics about the same unchecked
 * limit at the same REST location into one finding, which lists every coordinate.
 */
export function proofFindings(project: Project, reported: ReadonlySet<Diagnostic>): Finding[] {
  const open = project.diagnostics.filter((each) => !reported.has(each));
  const groups = Map.groupBy(open, (each) =>
    isUncheckedLimit(each) ? JSON.stringify([each.rule, each.facts, each.rest]) : each,
  );
  return [...groups.values()].flatMap(([first, ...others]): Finding[] => {
    if (!first) return [];
    const finding = isNote(first)
      ? { ...diagnosticFinding(project, first), severity: "note" as const, fingerprint: undefined }
      : diagnosticFinding(project, first);
    const also = others.map(({ rule, coordinate, message }) => ({ rule, coordinate, message }));
    return also.length > 0 ? [{ ...finding, also }] : [finding];
  });
}

/**
 * A limit that the engine does not check is only a note if REST APIs often do not enforce the limit's keyword. A change that adds
 * the limit is still breaking.
 */
const isNote = ({ rule, below }: Diagnostic): boolean =>
  rule === "limit-unchecked" && oftenMeantOtherwise.has(below?.[0]);

/** Whether the diagnostic is about a REST limit that the engine does not check before a call. */
export const isUncheckedLimit = ({ rule }: Pick<Diagnostic, "rule">): boolean =>
  rule === "limit-unchecked" || rule === "pattern-unchecked";

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

/** Returns a predicate: whether the given base already has the finding as a warning. */
export function knownAt({ diagnostics }: Project): (finding: Finding) => boolean {
  const known = new Set(
    diagnostics.flatMap((each) => (each.severity === "warning" ? fingerprintOf(each) : [])),
  );
  return (finding) => !finding.change && known.has(finding.fingerprint ?? "");
}

/**
 * Stage 5: impact analysis. A finding impacts a saved operation that selects one of the finding's coordinates. A finding about a
 * new constraint on requests does not impact an operation whose literal values satisfy the constraint. A breaking change or an
 * error breaks the operation. A dangerous change or a warning affects it.
 */

import { selectedCoordinates } from "../../shared/selected-coordinates.ts";
import { callCost } from "../bind/call-cost.ts";
import type { Project } from "../project/project.ts";
import type { SavedOperation } from "../schema/saved-operations.ts";
import { fieldOf } from "../schema/schema-coordinate.ts";
import { displayPath } from "./frame.ts";
import { knownAt } from "./proof-findings.ts";
import type { Finding, ImpactedOperation, OperationReport } from "./report.ts";
import { requestConstraint, violations } from "./request-constraints.ts";

/** Adds to each finding the saved operations that it breaks or affects. */
export function withImpactedOperations(
  head: Project,
  base: Project | undefined,
  findings: readonly Finding[],
): Finding[] {
  const selections = selectionsOf(head, base);
  const isKnown = base && knownAt(base);
  return findings.map((finding) => {
    const verdict = verdictOf(finding);
    if (isKnown?.(finding))
      return { ...finding, message: `${finding.message}; the base has this finding too` };
    if (verdict === "untouched") return finding;
    const operations = [...selections].flatMap(([operation, selected]): ImpactedOperation[] =>
      reasons(head, finding, operation, selected).length > 0
        ? [{ name: operation.name, file: displayPath(operation.file), line: operation.place.line, verdict }]
        : [],
    );
    return { ...finding, operations };
  });
}

/** Reports each saved operation with its verdict and, if the operation is valid, the number of REST calls. */
export function operationReports(
  head: Project,
  base: Project | undefined,
  findings: readonly Finding[],
): OperationReport[] {
  const isKnown = base && knownAt(base);
  const open = findings.filter((finding) => !isKnown?.(finding));
  return [...selectionsOf(head, base)].map(([operation, selected]) => {
    const own = open.flatMap((finding) => {
      const because = reasons(head, finding, operation, selected);
      const isName = finding.rule === "saved-operation-invalid";
      return because.length > 0 ? [{ verdict: verdictOf(finding), because: isName ? [] : because }] : [];
    });
    const verdict =
      (["broken", "affected"] as const).find((each) => own.some((one) => one.verdict === each)) ??
      "untouched";
    const because =
      verdict === "untouched" ? [] : own.flatMap((one) => (one.verdict === verdict ? one.because : []));
    return {
      name: operation.name,
      file: displayPath(operation.file),
      line: operation.place.line,
      verdict,
      because: [...new Set(because)].sort(),
      ...(head.model && operation.isValid && { calls: callCost(head.model, operation) }),
    };
  });
}

const verdicts = {
  ...({ breaking: "broken", error: "broken", dangerous: "affected" } as const),
  ...({ warning: "affected", note: "untouched" } as const),
};

const verdictOf = ({ change, severity }: Finding) => verdicts[change ?? severity];

/**
 * Returns the coordinates through which a finding impacts an operation. For `saved-operation-invalid`, returns the names of
 * operations or fragments instead.
 */
function reasons(
  project: Project,
  finding: Finding,
  operation: SavedOperation,
  selected: ReadonlySet<string>,
): readonly string[] {
  const { rule, stage, coordinate, coordinates: own = [coordinate] } = finding;
  if (finding.also) {
    const { also, coordinates: _, ...lead } = finding;
    const parts = [lead, ...also.map((each) => ({ ...lead, ...each }))];
    return [...new Set(parts.flatMap((each) => reasons(project, each, operation, selected)))];
  }
  if (rule === "saved-operation-invalid") {
    const { definitions } = operation.document;
    if (operation.app !== undefined) return own.filter((name) => name === operation.name);
    return own.filter((name) => definitions.some((each) => "name" in each && each.name?.value === name));
  }
  if (stage === "approvals") return []; // an expired approval does not change the API
  if (rule === "sdl-value-added-to-enum") return []; // no operation can send a new value yet
  // a new required argument, or the removed default of an argument, affects only operations that omit the argument
  if (rule === "sdl-required-arg-added" || (rule === "sdl-default-removed" && coordinate.endsWith(":)")))
    return own.flatMap((each) => (selected.has(each) || !selected.has(fieldOf(each)) ? [] : [fieldOf(each)]));
  const demand = requestConstraint(finding);
  if (demand && project.model) {
    const violated = violations(demand, project.model, operation, own);
    // `violated` lacks coordinates that no request of the operation reaches; they count if the operation selects them
    return own.filter((each) => violated.get(each) ?? selected.has(each));
  }
  return own.filter((each) => selected.has(each));
}

/** Returns the coordinates that each saved operation selects in the new schema, and in the old one for removed fields. */
function selectionsOf(head: Project, base: Project | undefined): Map<SavedOperation, Set<string>> {
  const models = [head.model, base?.model].filter((model) => model !== undefined);
  return new Map(
    head.saved.map((operation) => [
      operation,
      new Set(models.flatMap(({ schema }) => [...selectedCoordinates(schema, operation.document)])),
    ]),
  );
}

/**
 * One run of every stage over a spec folder and, if there is one, its base. Pure but for what its readers read: the
 * command line hands in files, generated text and the day, tests hand in maps.
 */
import { type Diagnostic, SpecUnreadable } from "../spec/diagnostic.ts";
import type { SpecFiles } from "../spec/spec-files.ts";
import { approve } from "./approvals.ts";
import { changesSince } from "./changes.ts";
import { operationImpacts, touchedBy } from "./impact.ts";
import { ledgerFindings } from "./ledger.ts";
import { proofFindings } from "./proof.ts";
import { type Finding, type Report, type Stage, summarise } from "./report.ts";
import { loadSide, type Side } from "./side.ts";

export type CheckInput = {
  readonly files: SpecFiles;
  readonly base?: { readonly name: string; readonly files: SpecFiles };
  /** Stage 3; left out where there is nothing generated to compare. */
  readonly freshness?: () => Promise<Finding[]>;
  /** `YYYY-MM-DD`, UTC. */
  readonly today: string;
};

/** A base that cannot be read is never "no changes": it ends the run. */
export class BaseUnreadable extends Error {
  readonly diagnostics: readonly Diagnostic[];
  constructor(name: string, diagnostics: readonly Diagnostic[]) {
    super(`the spec at ${name} cannot be read`);
    this.diagnostics = diagnostics;
  }
}

/** Throws `SpecUnreadable`, `BaseUnreadable` or `ConfigError` when there is nothing to report on. */
export async function check({ files, base, freshness, today }: CheckInput): Promise<Report> {
  const head = loadSide(files);
  const before = base && loadBase(base.name, base.files);
  const skipped: Partial<Record<Stage, string>> = {};
  const proof = proofFindings(head);
  const hasErrors = proof.some(({ severity }) => severity === "error");
  if (hasErrors) skipped.freshness = "nothing can be generated from a mapping with errors";
  else if (!freshness) skipped.freshness = "not asked for";
  const fresh = hasErrors || !freshness ? [] : await freshness();
  if (!base) skipped.changes = "no --base was given";
  if (!head.model) skipped.ledger = "the schema is not valid";
  const { findings: changed, changes } = before ? changesSince(before, head) : { findings: [], changes: [] };
  const ledger = head.model ? ledgerFindings(head, head.model) : [];
  const joined = touchedBy(head, before, [...proof, ...fresh, ...changed, ...ledger]);
  const findings = approve(head, joined, today, base !== undefined);
  const reported = touchedBy(head, before, changes);
  const operations = operationImpacts(head, before, findings);
  return {
    version: 1,
    ...(base && { base: base.name }),
    skipped,
    findings,
    changes: reported,
    operations,
    summary: summarise(findings, reported, operations),
  };
}

function loadBase(name: string, files: SpecFiles): Side & Required<Pick<Side, "model">> {
  try {
    const side = loadSide(files);
    if (side.model) return { ...side, model: side.model };
    throw new SpecUnreadable(side.diagnostics);
  } catch (error) {
    if (!(error instanceof SpecUnreadable)) throw error;
    throw new BaseUnreadable(name, error.diagnostics);
  }
}

/**
 * One run of every stage over a spec folder and, if there is one, its base. Pure but for what its readers read: the
 * command line hands in files, generated text and the day, tests hand in maps.
 */
import { SpecUnreadable } from "../spec/diagnostic.ts";
import type { Model } from "../spec/model.ts";
import type { SpecFiles } from "../spec/spec-files.ts";
import { approve } from "./approvals.ts";
import { changesSince } from "./changes.ts";
import { operationImpacts, touchedBy } from "./impact.ts";
import { ledgerFindings } from "./ledger.ts";
import { proofFindings } from "./proof.ts";
import { type Finding, type Report, type Stage, summarise } from "./report.ts";
import { loadSide, type Side } from "./side.ts";

type CheckInput = {
  readonly files: SpecFiles;
  readonly base?: { readonly name: string; readonly files: SpecFiles };
  /** Stage 3. */
  readonly freshness: () => Promise<Finding[]>;
  /** `YYYY-MM-DD`, UTC. */
  readonly today: string;
};

/** Throws `SpecUnreadable` or `ConfigError` when there is nothing to report on. */
export async function check({ files, base, freshness, today }: CheckInput): Promise<Report> {
  const head = loadSide(files);
  const before = base && loadBase(base.name, base.files);
  const hasErrors = head.diagnostics.some(({ severity }) => severity === "error");
  const fresh = hasErrors ? [] : await freshness();
  const skipped: Partial<Record<Stage, string>> = {
    ...(hasErrors && { freshness: "nothing can be generated from a mapping with errors" }),
    ...(!base && { changes: "no --base was given" }),
    ...(!head.model && { ledger: "the schema is not valid" }),
  };
  return { ...examine(head, before, today, fresh), skipped };
}

export type Base = Side & { readonly name: string; readonly model: Model };

/** Every stage but freshness, whose findings are handed in. */
export function examine(
  head: Side,
  base: Base | undefined,
  today: string,
  fresh: readonly Finding[] = [],
): Report {
  const { findings: changed, changes } = base ? changesSince(base, head) : { findings: [], changes: [] };
  const ledger = head.model ? ledgerFindings(head, head.model) : [];
  const joined = touchedBy(head, base, [...proofFindings(head), ...fresh, ...changed, ...ledger]);
  const findings = approve(head, joined, today, base !== undefined);
  const reported = touchedBy(head, base, changes);
  const operations = operationImpacts(head, base, findings);
  return {
    version: 1,
    ...(base && { base: base.name }),
    skipped: {},
    findings,
    changes: reported,
    operations,
    summary: summarise(findings, reported, operations),
  };
}

/** A base that cannot be read is never "no changes": it ends the run. */
function loadBase(name: string, files: SpecFiles): Base {
  try {
    const side = loadSide(files);
    if (side.model) return { ...side, name, model: side.model };
    throw new SpecUnreadable(side.diagnostics);
  } catch (error) {
    if (!(error instanceof SpecUnreadable)) throw error;
    throw new SpecUnreadable(error.diagnostics, `the spec at ${name} cannot be read`);
  }
}

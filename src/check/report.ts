/**
 * What a run of `check` comes to, as data: every format prints it and adds nothing. `report.schema.json` describes its
 * JSON; paths are relative to the project, so that a report is the same on every machine.
 */

export type Stage = "load" | "proof" | "freshness" | "changes" | "impact" | "ledger" | "approvals";

/** breaking: clients or the mapping fail · dangerous: they may notice · safe: they cannot. */
export type ChangeClass = "breaking" | "dangerous" | "safe";

/** A place with some lines around it; `role` says which side of the mapping it is, `base…` before the change. */
export type Frame = {
  readonly role: "schema" | "rest" | "base schema" | "base rest" | "operation" | "file";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text?: string;
};

export type Verdict = "broken" | "affected" | "untouched";

/** A saved operation that selects what a finding or a change is about. */
export type Touched = {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly verdict: Exclude<Verdict, "untouched">;
};

type Approval = { readonly reason: string; readonly author: string; readonly expires: string };

export type Finding = {
  readonly stage: Stage;
  readonly rule: string;
  /** error: mend it · warning: mend or approve it · note: fails nothing. */
  readonly severity: "error" | "warning" | "note";
  readonly change?: Exclude<ChangeClass, "safe">;
  readonly coordinate: string;
  /** All schema coordinates that a change reaches; `coordinate` is the first. */
  readonly coordinates?: readonly string[];
  readonly message: string;
  readonly hint: string;
  readonly places: readonly Frame[];
  readonly operations: readonly Touched[];
  /** Set where an approval can settle it: rule, coordinate and canonical before and after. */
  readonly fingerprint?: string;
  readonly approval?: Approval;
};

/** One difference from the base, also a safe one and one that nothing rests on. */
export type ReportedChange = {
  readonly side: "schema" | "rest";
  readonly rule: string;
  readonly class: ChangeClass;
  /** Where in the schema (a coordinate) or in the document (operation and place in it). */
  readonly at: string;
  readonly message: string;
  readonly coordinates: readonly string[];
  readonly operations: readonly Touched[];
};

export type OperationImpact = {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly verdict: Verdict;
  /** Coordinates that it selects and that do not work as before. */
  readonly because: readonly string[];
  /** Absent where nobody can know: the operation, or the whole schema, is not valid. */
  readonly calls?: { readonly typical: number; readonly worst: number };
};

export type Report = {
  readonly version: 1;
  readonly base?: string;
  /** Why a stage could not be run; absent stages ran. */
  readonly skipped: Partial<Record<Stage, string>>;
  readonly findings: readonly Finding[];
  readonly changes: readonly ReportedChange[];
  readonly operations: readonly OperationImpact[];
  readonly summary: Summary;
};

type Summary = {
  readonly findings: number;
  /** Neither approved nor a note: what fails the run. */
  readonly unapproved: number;
  readonly approved: number;
  readonly notes: number;
  readonly changes: Readonly<Record<ChangeClass, number>>;
  readonly operations: Readonly<Record<Verdict, number>>;
};

export const isUnapproved = ({ severity, approval }: Finding): boolean => severity !== "note" && !approval;

export function summarise(
  findings: readonly Finding[],
  changes: readonly ReportedChange[],
  operations: readonly OperationImpact[],
): Summary {
  const classes = { breaking: 0, dangerous: 0, safe: 0 };
  for (const change of changes) classes[change.class]++;
  const verdicts = { broken: 0, affected: 0, untouched: 0 };
  for (const operation of operations) verdicts[operation.verdict]++;
  return {
    findings: findings.length,
    unapproved: findings.filter(isUnapproved).length,
    approved: findings.filter(({ approval }) => approval).length,
    notes: findings.filter(({ severity }) => severity === "note").length,
    changes: classes,
    operations: verdicts,
  };
}

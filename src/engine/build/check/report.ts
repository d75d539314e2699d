/**
 * The result of `check` as data; all formats are printed from it. `report.schema.json` describes the JSON format. Paths are
 * relative to the project, so that the report does not depend on the machine.
 */

import type { Direction } from "../bind/model.ts";
import type { Severity, Stage } from "../diagnostic.ts";
import type { CredentialUse } from "../openapi/held-credentials.ts";
import type { ChangeClass } from "./changes/change-catalogue.ts";
import { otherRules, type RuleId } from "./rules.ts";

/** A location with the lines around it. `role` is the kind of file; `base` marks the base's version. */
export type Frame = {
  readonly role: "schema" | "rest" | "base schema" | "base rest" | "operation" | "base operation" | "file";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text?: string;
};

export type Impact = "broken" | "affected" | "untouched";

/** A saved operation that selects a coordinate of a finding or a change. */
export type ImpactedOperation = {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly verdict: Exclude<Impact, "untouched">;
};

type Approval = { readonly reason: string; readonly author: string; readonly expires: string };

export type Finding = {
  readonly stage: Stage;
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly change?: Exclude<ChangeClass, "safe">;
  readonly coordinate: string;
  /** All coordinates that the change affects, beginning with `coordinate`. */
  readonly coordinates?: readonly string[];
  /** Other effects of this change to the OpenAPI document. */
  readonly also?: readonly { readonly rule: RuleId; readonly coordinate: string; readonly message: string }[];
  /** `request` for values sent to REST, `response` for values that REST returns; `undefined` for both or neither. */
  readonly direction?: Direction | undefined;
  readonly message: string;
  readonly hint: string;
  readonly places: readonly Frame[];
  readonly operations: readonly ImpactedOperation[];
  /** Identifies the finding in `spec/approvals.yaml`; `undefined` if the finding cannot be approved. */
  readonly fingerprint?: string;
  readonly approval?: Approval;
};

/** A change since the base, including safe changes of the schema. */
export type SpecChange = {
  readonly rule: RuleId;
  readonly class: ChangeClass;
  readonly direction?: Direction | undefined;
  readonly message: string;
  readonly coordinates: readonly string[];
  readonly operations: readonly ImpactedOperation[];
};

/** A saved operation with its verdict and its number of REST calls. */
export type OperationReport = {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly verdict: Impact;
  /** The selected coordinates that cause the verdict. */
  readonly because: readonly string[];
  /** `undefined` if the operation or the schema is invalid. */
  readonly calls?: { readonly typical: number; readonly worst: number };
};

/** The saved operations that clients ran, according to the ledger passed with `--usage`. */
export type UsageReport = {
  readonly source: string;
  /** The first day of the period, `YYYY-MM-DD`, UTC. */
  readonly since: string;
  /** The names of the saved operations that clients ran. */
  readonly used: readonly string[];
  /**
   * Number of operations in the ledger that match no saved operation, plus 1 if the ledger is incomplete. Unless it is 0, any
   * changed part counts as in use.
   */
  readonly unknown: number;
};

/** The credentials and fixed headers of `spec/credentials.yaml` in calls of a REST operation. */
export type CredentialReport = {
  /** Method, document and path, such as `GET pager/services`. */
  readonly operation: string;
  readonly of: CredentialUse["of"];
  readonly credentials: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
};

export type Report = {
  readonly version: 2;
  readonly base?: string;
  readonly usage?: UsageReport;
  /** The reason for each stage that did not run. */
  readonly skipped: Partial<Record<Stage, string>>;
  readonly findings: readonly Finding[];
  readonly changes: readonly SpecChange[];
  readonly operations: readonly OperationReport[];
  /** The credentials of the bound REST operations, if `spec/credentials.yaml` sets credentials or fixed headers. */
  readonly credentials?: readonly CredentialReport[];
  readonly summary: Summary;
};

type Summary = {
  readonly findings: number;
  /** Number of findings that fail the run: all except approved findings and notes. */
  readonly unapproved: number;
  readonly approved: number;
  readonly notes: number;
  readonly changes: Readonly<Record<ChangeClass, number>>;
  readonly operations: Readonly<Record<Impact, number>>;
};

export const ruleFinding = (
  rule: keyof typeof otherRules,
  coordinate: string,
  texts: Pick<Finding, "message" | "hint" | "places">,
): Finding => ({
  stage: otherRules[rule].stage,
  rule,
  severity: otherRules[rule].severity,
  coordinate,
  ...texts,
  operations: [],
});

export const reportedChange = ({
  rule,
  change,
  direction,
  message,
  coordinates = [],
  operations,
}: Finding): SpecChange[] =>
  change ? [{ rule, class: change, ...(direction && { direction }), message, coordinates, operations }] : [];

export const isUnapproved = ({ severity, approval }: Finding): boolean => severity !== "note" && !approval;

export function summarize(
  findings: readonly Finding[],
  changes: readonly SpecChange[],
  operations: readonly OperationReport[],
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

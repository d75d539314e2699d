/**
 * Runs all stages on a spec folder and, optionally, a base to compare with. `check` accesses neither the disk nor the clock: the
 * command line passes file readers and the date, and tests pass maps.
 */

import type { Manifest } from "../../shared/manifests/manifests.ts";
import { boundFields, type Model } from "../bind/model.ts";
import { type Diagnostic, type Stage, UnreadableSpec } from "../diagnostic.ts";
import { credentialUse } from "../openapi/held-credentials.ts";
import { methodAndPath } from "../openapi/operation.ts";
import { cacheByFiles } from "../project/cache-by-files.ts";
import { isValid, Project, readRestApi, type ValidProject } from "../project/project.ts";
import type { SpecFiles } from "../project/spec-files.ts";
import { approve } from "./approvals.ts";
import { changesSince } from "./changes/changes-since.ts";
import { isManifest } from "./frame.ts";
import { operationReports, withImpactedOperations } from "./impact.ts";
import { withInvalidOperations } from "./invalid-operations.ts";
import { proofFindings } from "./proof-findings.ts";
import { removedOperationNotes } from "./removed-operations.ts";
import { type Finding, type Report, reportedChange, summarize } from "./report.ts";
import { restOnlyFindings } from "./rest-only.ts";
import { deprecatedUses, downgradeUnused, type Usage, usageReport } from "./usage.ts";

type CheckInput = {
  readonly files: SpecFiles;
  readonly manifests?: readonly Manifest[];
  readonly base?: { readonly name: string; readonly files: SpecFiles; readonly usage?: Usage };
  /** The reason why there is no base. */
  readonly baseless?: string;
  /** Runs stage 3, which needs codegen. `check` does not call this function if the spec has errors. */
  readonly freshness: (project: ValidProject) => Promise<Finding[]>;
  /** `YYYY-MM-DD`, UTC. */
  readonly today: string;
};

/** Throws `UnreadableSpec` or `UsageError` if a file cannot be read. */
export async function check(given: CheckInput): Promise<Report> {
  const { files, manifests, base, baseless = "no --base was given", freshness, today } = given;
  // cached, because the base and the current spec usually have the same OpenAPI document
  const restOf = cacheByFiles(readRestApi);
  const head = new Project(files, { restOf, ...(manifests && { manifests }) });
  const hasErrors = head.diagnostics.some(
    ({ severity, schema }) => severity === "error" && !isManifest(schema?.file ?? ""),
  );
  const before = base && readable(new Project(base.files, { restOf, name: base.name }));
  const fresh = hasErrors || !isValid(head) ? [] : await freshness(head);
  const skipped: Partial<Record<Stage, string>> = {
    ...((hasErrors || !isValid(head)) && { freshness: "nothing is generated while the mapping has errors" }),
    ...(!base && { changes: baseless }),
    ...(!head.model && { impact: "the schema is not valid", ledger: "the schema is not valid" }),
  };
  return { ...examine(head, before, today, { fresh, usage: base?.usage }), skipped };
}

/** `fresh`: the findings of the freshness stage. */
type Given = { readonly fresh?: readonly Finding[]; readonly usage?: Usage | undefined };

/** Runs every stage except freshness. */
export function examine(
  head: Project,
  base: ValidProject | undefined,
  today: string,
  { fresh = [], usage }: Given = {},
): Report {
  const since = base
    ? changesSince(base, head, today)
    : { findings: [], safe: [], reported: new Set<Diagnostic>() };
  const ledger = isValid(head) ? restOnlyFindings(head, base) : [];
  const found = withImpactedOperations(head, base, [
    ...proofFindings(head, since.reported),
    ...fresh,
    ...since.findings,
    ...(base ? removedOperationNotes(base, head) : []),
    ...ledger,
  ]);
  const approved = approve(head, found, today, base !== undefined);
  const used = base && usage && usageReport(usage, head, base);
  const counted = used && { ...usage, ...used };
  const settled = counted
    ? [...downgradeUnused(approved, counted, head, base), ...deprecatedUses(counted, head)]
    : approved;
  const findings = base ? withInvalidOperations(settled, head, base) : settled;
  const changes = [...found.flatMap(reportedChange), ...since.safe];
  const operations = head.model ? operationReports(head, base, findings) : [];
  return {
    version: 2,
    ...(base?.name !== undefined && { base: base.name }),
    ...(used && { usage: used }),
    skipped: {},
    findings,
    changes,
    operations,
    ...credentialReport(head.model),
    summary: summarize(findings, changes, operations),
  };
}

function credentialReport(model: Model | undefined): Pick<Report, "credentials"> {
  if (!model) return {};
  const { calledOperations, document, held } = model;
  if (held.size === 0 && ![...calledOperations.values()].some(({ headers }) => headers)) return {};
  const operations = new Map(
    boundFields(model).map(({ operation }) => [methodAndPath(operation), operation]),
  );
  const credentials = [...operations].map(([name, operation]) => {
    const { of, texts } = credentialUse(document, held, operation);
    const { headers } = calledOperations.get(name) ?? {};
    return { operation: name, of, credentials: texts, ...(headers && { headers }) };
  });
  return { credentials };
}

/** Throws `UnreadableSpec` for an invalid base, because the comparison would otherwise find no changes. */
function readable(base: Project): ValidProject {
  try {
    const { diagnostics } = base;
    if (isValid(base)) return base;
    throw new UnreadableSpec(diagnostics);
  } catch (error) {
    if (!(error instanceof UnreadableSpec)) throw error;
    throw new UnreadableSpec(
      error.diagnostics,
      `the spec at ${base.name} cannot be read, so --base needs an earlier commit`,
    );
  }
}

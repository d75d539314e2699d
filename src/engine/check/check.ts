/**
 * Runs every stage over a spec folder and its base, if a base is given. `check` reads no disk and no clock itself: the
 * command line hands in readers and the day, tests hand in maps.
 */

import { readDocument } from "../bind/load.ts";
import type { SpecFiles } from "../bind/spec-files.ts";
import { type BoundSnapshot, loadSnapshot, type SpecSnapshot } from "../bind/spec-snapshot.ts";
import { whileFilesStay } from "../bind/while-files-stay.ts";
import { type Diagnostic, SpecUnreadable, type Stage } from "../diagnostic.ts";
import type { Manifest } from "../manifests/manifests.ts";
import { approve } from "./approvals.ts";
import { changesSince } from "./changes/changes-since.ts";
import { isManifest } from "./frame.ts";
import { operationReports, withImpactedOperations } from "./impact.ts";
import { ledgerFindings } from "./ledger.ts";
import { proofFindings } from "./proof.ts";
import { type Finding, type Report, summarise } from "./report.ts";
import { retiredTexts } from "./retired-texts.ts";
import { withoutStaleApps } from "./stale-apps.ts";
import { deprecatedUses, type Usage, usageReport, withoutUnused } from "./usage.ts";

type CheckInput = {
  readonly files: SpecFiles;
  /** The manifests of apps. */
  readonly manifests?: readonly Manifest[];
  readonly base?: { readonly name: string; readonly files: SpecFiles; readonly usage?: Usage };
  /** Runs stage 3, which needs codegen, over a spec without errors. */
  readonly freshness: (sources: BoundSnapshot) => Promise<Finding[]>;
  /** `YYYY-MM-DD`, UTC. */
  readonly today: string;
};

/** Throws `SpecUnreadable` or `UsageError` if a file cannot be read. */
export async function check(given: CheckInput): Promise<Report> {
  const { files, manifests, base, freshness, today } = given;
  // most changes leave the document as it is
  const documentOf = whileFilesStay(readDocument);
  const head = loadSnapshot(files, manifests, documentOf);
  const before = base && loadBase(base.name, base.files, documentOf);
  const saved = head.saved.filter(({ app }) => app === undefined);
  const hasErrors = head.diagnostics.some(
    ({ severity, schema }) => severity === "error" && !isManifest(schema?.file ?? ""),
  );
  const { model } = head;
  const fresh = hasErrors || !model ? [] : await freshness({ ...head, model, saved });
  const skipped: Partial<Record<Stage, string>> = {
    ...(hasErrors && { freshness: "nothing can be generated from a mapping with errors" }),
    ...(!base && { changes: "no --base was given" }),
    ...(!head.model && { impact: "the schema is not valid", ledger: "the schema is not valid" }),
  };
  return { ...examine(head, before, today, fresh, base?.usage), skipped };
}

/** `name` is the git ref as the user gave it. */
export type Base = BoundSnapshot & { readonly name: string };

/** Runs every stage except freshness; `fresh` holds the findings of that stage. */
export function examine(
  head: SpecSnapshot,
  base: Base | undefined,
  today: string,
  fresh: readonly Finding[] = [],
  usage?: Usage,
): Report {
  const since = base
    ? changesSince(base, head, today)
    : { findings: [], changes: [], told: new Set<Diagnostic>() };
  const ledger = head.model ? ledgerFindings(head, head.model) : [];
  const found = withImpactedOperations(head, base, [
    ...(base
      ? withoutStaleApps(proofFindings(head, since.told), head, base)
      : proofFindings(head, since.told)),
    ...fresh,
    ...since.findings,
    ...(base ? retiredTexts(base, head) : []),
    ...ledger,
  ]);
  const approved = approve(head, found, today, base !== undefined);
  const used = base && usage && usageReport(usage, head, base);
  const findings = used
    ? [...withoutUnused(approved, used, head, base), ...deprecatedUses(usage, used, head)]
    : approved;
  const specChanges = withImpactedOperations(head, base, since.changes);
  const operations = head.model ? operationReports(head, base, findings) : [];
  return {
    version: 2,
    ...(base && { base: base.name }),
    ...(used && { usage: used }),
    skipped: {},
    findings,
    changes: specChanges,
    operations,
    summary: summarise(findings, specChanges, operations),
  };
}

/** A base that cannot be read ends the run. It must never look like a base without changes. */
function loadBase(name: string, files: SpecFiles, documentOf: typeof readDocument): Base {
  try {
    const snapshot = loadSnapshot(files, [], documentOf);
    if (snapshot.model) return { ...snapshot, name, model: snapshot.model };
    throw new SpecUnreadable(snapshot.diagnostics);
  } catch (error) {
    if (!(error instanceof SpecUnreadable)) throw error;
    throw new SpecUnreadable(error.diagnostics, `the spec at ${name} cannot be read`);
  }
}

/**
 * Stage 7 of `check`: applies `spec/approvals.yaml`. An entry approves the finding with the same fingerprint, rule and
 * coordinate, up to and including its `expires` day (UTC). Mapping errors have no fingerprint, so they cannot be approved.
 */

import { type ApprovalEntry, approvalKey, approvalsFile } from "../project/approvals.ts";
import type { Project } from "../project/project.ts";
import { frameAt } from "./frame.ts";
import { type Finding, type Frame, ruleFinding } from "./report.ts";

/**
 * Marks the approved findings and sorts them last. Adds an error for each expired entry and a note for each unused entry. `today`
 * is `YYYY-MM-DD`.
 */
export function approve(
  project: Project,
  findings: readonly Finding[],
  today: string,
  hasBase: boolean,
): Finding[] {
  const entries = project.approvals;
  const file = project.yaml(approvalsFile);
  if (!file) return [...findings];
  const byKey = new Map(entries.map((entry) => [approvalKey(entry), entry]));
  const used = new Set<string>();
  const approved = findings.map((finding) => {
    const { fingerprint, rule, coordinate } = finding;
    if (fingerprint === undefined) return finding;
    const key = approvalKey({ fingerprint, rule, coordinate });
    const entry = byKey.get(key);
    if (!entry) return finding;
    used.add(key);
    const { reason, author, expires } = entry;
    return expires < today ? finding : { ...finding, approval: { reason, author, expires } };
  });
  const unbound = new Set(
    findings.flatMap(({ severity, fingerprint, coordinate, coordinates = [coordinate] }) =>
      severity === "error" && fingerprint === undefined ? coordinates : [],
    ),
  );
  const entryFindings = entries.flatMap((entry) => {
    const places = [frameAt(project, "file", file.place([entry.index]))];
    if (entry.expires < today) return [expiredEntry(entry, places)];
    // Adds no note if this run cannot produce the entry's finding: changes are found only with `--base`, and a binding error
    // hides the other findings of its field.
    const isUnseen = (!hasBase && /^(rest|sdl|binding)-/.test(entry.rule)) || unbound.has(entry.coordinate);
    return used.has(approvalKey(entry)) || isUnseen ? [] : [unusedEntry(entry, places, findings)];
  });
  const settled = approved.filter(({ approval }) => approval !== undefined);
  const open = approved.filter(({ approval }) => approval === undefined);
  return [...open, ...entryFindings, ...settled];
}

/** Names another finding at the entry's coordinate: the change may now have another rule or fingerprint. */
function hintOf({ coordinate }: ApprovalEntry, findings: readonly Finding[]): string {
  const now = findings.find(
    (each) => each.fingerprint && [each.coordinate, ...(each.coordinates ?? [])].includes(coordinate),
  );
  return now
    ? `remove the entry; ${now.rule} is reported at ${coordinate} now: to renew the approval, use the entry that this finding prints`
    : "remove the entry";
}

const expiredEntry = ({ rule, coordinate, expires }: ApprovalEntry, places: readonly Frame[]): Finding =>
  ruleFinding("approval-expired", coordinate, {
    message: `the approval of ${rule} at ${coordinate} expired on ${expires}`,
    hint: "if the approved change is merged, remove the entry; otherwise fix the finding or renew the approval",
    places,
  });

const unusedEntry = (entry: ApprovalEntry, places: readonly Frame[], findings: readonly Finding[]): Finding =>
  ruleFinding("approval-unused", entry.coordinate, {
    message: `the approval of ${entry.rule} at ${entry.coordinate} (${entry.fingerprint}) no longer matches a finding`,
    hint: hintOf(entry, findings),
    places,
  });

/** Returns a YAML entry for `spec/approvals.yaml` that approves the finding. */
export const approvalEntry = ({ fingerprint, rule, coordinate }: Finding): string[] => [
  `- fingerprint: "${fingerprint}"`,
  `  rule: ${rule}`,
  `  coordinate: ${JSON.stringify(coordinate)}`,
  "  reason: <why>",
  "  author: <who>",
  "  expires: <YYYY-MM-DD>",
];

/**
 * Stage 7: an entry of `spec/approvals.yaml` approves one finding, identified by fingerprint, rule and coordinate, until its
 * expiry date (UTC). Errors of the mapping have no fingerprint and cannot be approved. An expired entry fails the run, an unused
 * entry is a note.
 */

import { type ApprovalEntry, approvalKey, approvalsFile } from "../project/approvals.ts";
import type { Project } from "../project/project.ts";
import { frameAt } from "./frame.ts";
import { type Finding, type Frame, ruleFinding } from "./report.ts";

/**
 * Marks approved findings and sorts them last. Adds an error for each expired entry and a note for each unused one. `today`:
 * `YYYY-MM-DD`.
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
    // unused entries are not reported if this run cannot produce the finding: change findings need a base, and an unbound field
    // reports only its binding error
    const isUnseen = (!hasBase && /^(rest|sdl|binding)-/.test(entry.rule)) || unbound.has(entry.coordinate);
    return used.has(approvalKey(entry)) || isUnseen ? [] : [unusedEntry(entry, places, findings)];
  });
  const [settled, open] = [true, false].map((is) =>
    approved.filter(({ approval }) => (approval !== undefined) === is),
  ) as [Finding[], Finding[]];
  return [...open, ...entryFindings, ...settled];
}

/**
 * The advice for an expired or unused entry: points to the finding that now reports the same change under another rule or
 * fingerprint.
 */
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

/** The YAML of an entry that approves the finding, ready to paste. */
export const approvalEntry = ({ fingerprint, rule, coordinate }: Finding): string[] => [
  `- fingerprint: "${fingerprint}"`,
  `  rule: ${rule}`,
  `  coordinate: ${JSON.stringify(coordinate)}`,
  "  reason: <why>",
  "  author: <who>",
  "  expires: <YYYY-MM-DD>",
];

/**
 * Stage 7: an entry of `spec/approvals.yaml` approves one finding, by its fingerprint, until a last day (UTC). Errors of
 * the mapping have no fingerprint, so nobody can approve them. An expired entry fails the run, an unused entry is a note.
 */

import { SpecUnreadable, unreadable } from "../diagnostic.ts";
import type { YamlFile } from "../openapi/yaml-file.ts";
import type { Project } from "../project/project.ts";
import { isRecord } from "../standards/json-object.ts";
import { frameAt } from "./frame.ts";
import { type Finding, found } from "./report.ts";

const approvalsFile = "approvals.yaml";

type Entry = {
  readonly index: number;
  readonly fingerprint: string;
  readonly rule: string;
  readonly coordinate: string;
  readonly reason: string;
  readonly author: string;
  readonly expires: string;
};

/**
 * Returns the findings, those that are approved last with their approvals, and findings for expired and unused entries.
 * `today` is `YYYY-MM-DD`.
 */
export function approve(
  project: Project,
  findings: readonly Finding[],
  today: string,
  hasBase: boolean,
): Finding[] {
  const { file, entries } = readApprovals(project);
  if (!file) return [...findings];
  const byFingerprint = new Map(entries.map((entry) => [entry.fingerprint, entry]));
  const used = new Set<string>();
  const approved = findings.map((finding) => {
    const entry = finding.fingerprint === undefined ? undefined : byFingerprint.get(finding.fingerprint);
    if (!entry) return finding;
    used.add(entry.fingerprint);
    const { reason, author, expires } = entry;
    return expires < today ? finding : { ...finding, approval: { reason, author, expires } };
  });
  const unbound = new Set(
    findings.flatMap(({ severity, fingerprint, coordinate, coordinates = [coordinate] }) =>
      severity === "error" && fingerprint === undefined ? coordinates : [],
    ),
  );
  const entryFindings = entries.flatMap((entry) => {
    if (entry.expires < today) return [entryFinding(findings, project, file, entry, "approval-expired")];
    // without a base there are no change findings to approve, and a field that is not bound has its error alone
    const isUnseen = (!hasBase && /^(rest|sdl|binding)-/.test(entry.rule)) || unbound.has(entry.coordinate);
    return used.has(entry.fingerprint) || isUnseen
      ? []
      : [entryFinding(findings, project, file, entry, "approval-unused")];
  });
  const [settled, open] = [true, false].map((is) =>
    approved.filter(({ approval }) => (approval !== undefined) === is),
  ) as [Finding[], Finding[]];
  return [...open, ...entryFindings, ...settled];
}

/** The same edit may be told by another rule now, or with another fingerprint. */
function hintOf({ coordinate }: Entry, findings: readonly Finding[]): string {
  const now = findings.find(
    (each) => each.fingerprint && [each.coordinate, ...(each.coordinates ?? [])].includes(coordinate),
  );
  return now
    ? `remove the entry; ${now.rule} stands at ${coordinate} now: to renew the approval, take the entry that this finding prints`
    : "remove the entry";
}

function entryFinding(
  findings: readonly Finding[],
  project: Project,
  file: YamlFile,
  entry: Entry,
  rule: "approval-expired" | "approval-unused",
): Finding {
  const expired = rule === "approval-expired";
  const what = `the approval of ${entry.rule} at ${entry.coordinate}`;
  return found(rule, entry.coordinate, {
    message: expired
      ? `${what} expired on ${entry.expires}`
      : `${what} (${entry.fingerprint}) settles nothing any more`,
    hint: expired
      ? "if what it approved is merged, remove the entry; else mend it, or have it approved anew"
      : hintOf(entry, findings),
    places: [frameAt(project, "file", file.place([entry.index]))],
  });
}

/** Throws `SpecUnreadable` if the file is not YAML, or no list of complete entries. */
function readApprovals(project: Project): { file?: YamlFile; entries: Entry[] } {
  const file = project.yaml(approvalsFile);
  if (!file) return { entries: [] };
  if (file.value === null || file.value === undefined) return { file, entries: [] };
  if (!Array.isArray(file.value)) throw unreadable(approvalsFile, "wants a list of approvals");
  const faults: SpecUnreadable[] = [];
  const entries = file.value.map((value: unknown, index) => readEntry(file, value, index, faults));
  if (faults.length > 0) throw new SpecUnreadable(faults.flatMap(({ diagnostics }) => diagnostics));
  return { file, entries };
}

function readEntry(file: YamlFile, value: unknown, index: number, faults: SpecUnreadable[]): Entry {
  const given = isRecord(value) ? value : {};
  // the entry that a finding prints has <why> and <who>
  const text = (key: string): string =>
    typeof given[key] === "string" ? given[key].trim().replace(/^<\w+>$/, "") : "";
  const wrong = ["fingerprint", "rule", "coordinate", "reason", "author"].filter((key) => text(key) === "");
  if (!isDay(text("expires"))) wrong.push("expires (YYYY-MM-DD)");
  if (wrong.length > 0)
    faults.push(unreadable(approvalsFile, `an approval needs ${wrong.join(", ")}`, file.place([index])));
  return {
    index,
    fingerprint: text("fingerprint"),
    rule: text("rule"),
    coordinate: text("coordinate"),
    reason: text("reason"),
    author: text("author"),
    expires: text("expires"),
  };
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

/** The YAML of an entry that approves the finding, ready to paste. */
export const approvalEntry = ({ fingerprint, rule, coordinate }: Finding): string[] => [
  `- fingerprint: "${fingerprint}"`,
  `  rule: ${rule}`,
  `  coordinate: ${JSON.stringify(coordinate)}`,
  "  reason: <why>",
  "  author: <who>",
  "  expires: <YYYY-MM-DD>",
];

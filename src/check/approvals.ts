/**
 * Stage 7: `spec/approvals.yaml` settles findings by fingerprint, with reason, author and the last day it holds (UTC).
 * Errors of the mapping have no fingerprint and cannot be settled. Expired entries fail, unused ones are notes.
 */
import { ConfigError } from "../config.ts";
import { isRecord } from "../spec/rest-document.ts";
import { parseYamlFile, type YamlFile } from "../spec/yaml-file.ts";
import type { Finding } from "./report.ts";
import type { Side } from "./side.ts";

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

/** The findings with their approvals, and those of the approvals themselves. `today` is `YYYY-MM-DD`. */
export function approve(
  side: Side,
  findings: readonly Finding[],
  today: string,
  hasBase: boolean,
): Finding[] {
  const { file, entries } = readApprovals(side);
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
  const own = entries.flatMap((entry) => {
    if (entry.expires < today) return [ownFinding(side, file, entry, "approval-expired")];
    // a change can be seen only against a base
    const unseen = !hasBase && /^(rest|sdl|binding)-/.test(entry.rule);
    return used.has(entry.fingerprint) || unseen ? [] : [ownFinding(side, file, entry, "approval-unused")];
  });
  return [...approved, ...own];
}

function ownFinding(
  side: Side,
  file: YamlFile,
  entry: Entry,
  rule: "approval-expired" | "approval-unused",
): Finding {
  const expired = rule === "approval-expired";
  const what = `the approval of ${entry.rule} at ${entry.coordinate}`;
  return {
    stage: "approvals",
    rule,
    severity: expired ? "error" : "note",
    coordinate: entry.coordinate,
    message: expired
      ? `${what} expired on ${entry.expires}`
      : `${what} (${entry.fingerprint}) settles nothing any more`,
    hint: expired ? "mend what it approved, or have it approved anew" : "remove the entry",
    places: [side.frame("file", file.place([entry.index]))],
    operations: [],
  };
}

/** Throws `SpecUnreadable` if it is no YAML, `ConfigError` for an entry that lacks something. */
function readApprovals({ files }: Side): { file?: YamlFile; entries: Entry[] } {
  const text = files.read(approvalsFile);
  if (text === undefined) return { entries: [] };
  const file = parseYamlFile(approvalsFile, text);
  if (file.value === null || file.value === undefined) return { file, entries: [] };
  if (!Array.isArray(file.value)) throw new ConfigError([`spec/${approvalsFile}: wants a list of approvals`]);
  const lines: string[] = [];
  const entries = file.value.map((value: unknown, index) => readEntry(file, value, index, lines));
  if (lines.length > 0) throw new ConfigError(lines);
  return { file, entries };
}

function readEntry(file: YamlFile, value: unknown, index: number, lines: string[]): Entry {
  const given = isRecord(value) ? value : {};
  const text = (key: string): string => (typeof given[key] === "string" ? given[key].trim() : "");
  const wrong = ["fingerprint", "rule", "coordinate", "reason", "author"].filter((key) => text(key) === "");
  if (!isDay(text("expires"))) wrong.push("expires (YYYY-MM-DD)");
  const at = `spec/${approvalsFile}:${file.place([index]).line}`;
  if (wrong.length > 0) lines.push(`${at}: an approval needs ${wrong.join(", ")}`);
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

/** The entry that would settle a finding, as YAML to paste. */
export const approvalEntry = ({ fingerprint, rule, coordinate }: Finding): string[] => [
  `- fingerprint: "${fingerprint}"`,
  `  rule: ${rule}`,
  `  coordinate: ${JSON.stringify(coordinate)}`,
  "  reason: <why>",
  "  author: <who>",
  "  expires: <YYYY-MM-DD>",
];

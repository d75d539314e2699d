/** The entries of `spec/approvals.yaml`. */
import { isRecord } from "../../shared/json-object.ts";
import { UnreadableSpec, unreadableSpec } from "../diagnostic.ts";
import type { YamlFile } from "../openapi/yaml-file.ts";

export const approvalsFile = "approvals.yaml";

export type ApprovalEntry = {
  readonly index: number;
  readonly fingerprint: string;
  readonly rule: string;
  readonly coordinate: string;
  readonly reason: string;
  readonly author: string;
  /** The last day on which the approval applies (UTC), `YYYY-MM-DD`. */
  readonly expires: string;
};

/** Identifies the approved finding. Includes the rule and the coordinate, because the approver reads them. */
export const approvalKey = ({
  fingerprint,
  rule,
  coordinate,
}: Pick<ApprovalEntry, "fingerprint" | "rule" | "coordinate">): string =>
  JSON.stringify([fingerprint, rule, coordinate]);

/** If the file is not a list of complete entries, throws one `UnreadableSpec` that lists all faults. */
export function readApprovals(file: YamlFile | undefined): ApprovalEntry[] {
  if (file === undefined || file.value === null || file.value === undefined) return [];
  if (!Array.isArray(file.value)) throw unreadableSpec(approvalsFile, "must be a list of approvals");
  const faults: UnreadableSpec[] = [];
  const entries = file.value.map((value: unknown, index) => readEntry(file, value, index, faults));
  if (faults.length > 0) throw new UnreadableSpec(faults.flatMap(({ diagnostics }) => diagnostics));
  return entries;
}

const texts = ["fingerprint", "rule", "coordinate", "reason", "author"] as const;

function readEntry(file: YamlFile, value: unknown, index: number, faults: UnreadableSpec[]): ApprovalEntry {
  const given = isRecord(value) ? value : {};
  // a finding shows an entry with the placeholders <why> and <who>; a text that is still a placeholder counts as missing
  const text = (key: (typeof texts)[number] | "expires"): string =>
    typeof given[key] === "string" ? given[key].trim().replace(/^<\w+>$/, "") : "";
  const wrong: string[] = texts.filter((key) => text(key) === "");
  if (!isDay(text("expires"))) wrong.push("expires (YYYY-MM-DD)");
  if (wrong.length > 0)
    faults.push(unreadableSpec(approvalsFile, `an approval needs ${wrong.join(", ")}`, file.place([index])));
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

/** The last lines of every format except JSON: skipped stages, and the counts of changes, operations and findings. */
import type { Impact, Report, UsageReport } from "../report.ts";

/** Returns `ok` instead of `untouched` if there is no base. */
export const verdictName = (verdict: Impact, base: string | undefined): string =>
  verdict === "untouched" && base === undefined ? "ok" : verdict;

export function summaryLines({ base, summary, skipped, usage }: Report): string[] {
  const { findings, unapproved, approved, notes, changes, operations } = summary;
  const total = operations.broken + operations.affected + operations.untouched;
  return [
    ...Object.entries(skipped).map(([stage, why]) => `${stage}: not checked, because ${why}`),
    ...(skipped.changes ? [] : [`changes: ${counts(changes)}`]),
    ...(total > 0
      ? [
          `saved operations: ${operations.broken} broken, ${operations.affected} affected, ${operations.untouched} ${verdictName("untouched", base)}`,
        ]
      : []),
    ...(usage ? [usageLine(usage)] : []),
    `findings: ${findings} (${unapproved} to settle, ${approved} approved, ${notes} notes)`,
  ];
}

const usageLine = ({ source, since, used, unknown }: UsageReport): string =>
  `usage since ${since} (${source}): ${used.length} saved operations ran${
    unknown > 0 ? `; so did ${unknown} that are not saved, so every change counts as used` : ""
  }`;

const counts = ({ breaking, dangerous, safe }: Report["summary"]["changes"]): string =>
  `${breaking} breaking, ${dangerous} dangerous, ${safe} safe`;

/** The closing lines of every format except JSON: skipped stages and the counts of changes, operations and findings. */
import type { Report } from "../report.ts";

export function summaryLines({ summary, skipped }: Report): string[] {
  const { findings, unapproved, approved, notes, changes, operations } = summary;
  const total = operations.broken + operations.affected + operations.untouched;
  return [
    ...Object.entries(skipped).map(([stage, why]) => `${stage}: not checked, ${why}`),
    ...(skipped.changes
      ? []
      : [`changes: ${changes.breaking} breaking, ${changes.dangerous} dangerous, ${changes.safe} safe`]),
    ...(total > 0
      ? [
          `saved operations: ${operations.broken} broken, ${operations.affected} affected, ${operations.untouched} untouched`,
        ]
      : []),
    `findings: ${findings} (${unapproved} to settle, ${approved} approved, ${notes} notes)`,
  ];
}

/**
 * Prints the report for GitLab Code Quality: a list of violations, each at one line (docs.gitlab.com, "Code Quality report
 * format").
 */
import { fingerprint } from "../../project/fingerprint.ts";
import type { Finding, Report } from "../report.ts";
import { annotationLocation, headline } from "./annotation.ts";
import { approvalOrAdvice, impactLines } from "./text.ts";

const severities = { error: "critical", warning: "major", note: "info" } as const;

export const formatGitlab = ({ findings }: Report): string =>
  `${JSON.stringify(findings.map(violation), null, 2)}\n`;

function violation(finding: Finding): object {
  const { rule, coordinate, message, severity, approval } = finding;
  const { file = "spec/schema.graphql", line = 1 } = annotationLocation(finding) ?? {};
  return {
    // GitLab shows the description on a single line
    description: [headline(finding), ...impactLines(finding), approvalOrAdvice(finding)].join("; "),
    check_name: rule,
    fingerprint: finding.fingerprint ?? fingerprint(rule, coordinate, [message]),
    severity: approval ? "info" : severities[severity],
    location: { path: file, lines: { begin: line } },
  };
}

/** Prints the report for GitLab Code Quality, as a list of violations (docs.gitlab.com, "Code Quality report format"). */
import { fingerprint } from "../../project/fingerprint.ts";
import type { CredentialReport, Finding, Report } from "../report.ts";
import { annotationLocation, headline } from "./annotation.ts";
import { approvalOrAdvice, impactLines } from "./text.ts";

const severities = { error: "critical", warning: "major", note: "info" } as const;

export const formatGitlab = ({ findings, credentials = [] }: Report): string =>
  `${JSON.stringify([...findings.map(violation), ...credentials.flatMap(credentialEntry)], null, 2)}\n`;

/**
 * Prints the credential of a REST operation as an entry. A merge request shows only entries with a new fingerprint. The
 * fingerprint includes the credentials and fixed headers, so that their changes are shown.
 */
function credentialEntry({ operation, of, credentials, headers = {} }: CredentialReport): object[] {
  const fixed = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (of !== "server" && of !== "tenant" && fixed.length === 0) return [];
  const check = "credential-owner";
  const texts = [...credentials, ...fixed];
  return [
    {
      description: `${operation}: ${texts.join("; ")}`,
      check_name: check,
      fingerprint: fingerprint(check, operation, texts),
      severity: "info",
      location: { path: "spec/credentials.yaml", lines: { begin: 1 } },
    },
  ];
}

function violation(finding: Finding): object {
  const { rule, coordinate, message, severity, approval } = finding;
  const { file = "spec/schema.graphql", line = 1 } = annotationLocation(finding) ?? {};
  return {
    // GitLab shows the description on one line
    description: [headline(finding), ...impactLines(finding), approvalOrAdvice(finding)].join("; "),
    check_name: rule,
    fingerprint: finding.fingerprint ?? fingerprint(rule, coordinate, [message]),
    severity: approval ? "info" : severities[severity],
    location: { path: file, lines: { begin: line } },
  };
}

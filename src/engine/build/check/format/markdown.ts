/** Prints the report as GitHub-flavoured Markdown, for the summary of a pull request. */
import { type Failure, faultLine } from "../../../shared/cli/command-failure.ts";
import { countText } from "../../bind/list-length.ts";
import { approvalEntry } from "../approvals.ts";
import type { Finding, Report } from "../report.ts";
import { impactGraph } from "./impact-graph.ts";
import { summaryLines, verdictName } from "./summary.ts";
import { impactLines } from "./text.ts";

export function formatMarkdown(report: Report): string {
  const verdict =
    report.summary.unapproved === 0 ? "✅ nothing to settle" : `❌ ${report.summary.unapproved} to settle`;
  const parts = [
    `## Spec check: ${verdict}`,
    summaryLines(report)
      .map((line) => `- ${text(line)}`)
      .join("\n"),
    ...graph(report),
    ...report.findings.map(section),
    ...changes(report),
    ...operations(report),
    ...credentials(report),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The Markdown for a run that failed without a report. This text replaces the summary of an earlier run. */
export const failureMarkdown = ({ faults }: Failure): string =>
  `## Spec check: ❌ failed\n\n${faults.map((fault) => `- ${text(faultLine(fault))}`).join("\n")}\n`;

function graph(report: Report): string[] {
  const lines = impactGraph(report);
  return lines.length === 0 ? [] : [fenced(lines.join("\n"), "mermaid")];
}

function section(finding: Finding): string {
  const { rule, coordinate, message, hint, places, approval, change, severity } = finding;
  const kind = approval ? "approved" : (change ?? severity);
  const frames = places.map(({ role, file, line, column, text: frame }) => {
    const at = `${code(`${file}:${line}:${column}`)}${role.startsWith("base") ? " (at the base)" : ""}`;
    return frame ? `${at}\n\n${fenced(frame)}` : at;
  });
  const reach = impactLines(finding)
    .map((line) => `- ${text(line)}`)
    .join("\n");
  const settle = approval
    ? `Approved until ${approval.expires} by ${text(approval.author)}: ${text(approval.reason)}`
    : `→ ${text(hint)}`;
  const entry =
    finding.fingerprint && !approval
      ? `Or approve it in ${code("spec/approvals.yaml")}:\n\n${fenced(approvalEntry(finding).join("\n"), "yaml")}`
      : "";
  const head = `### ${kind}: ${code(coordinate)} (${code(rule)})`;
  return [head, text(message), ...frames, reach, settle, entry].filter((part) => part !== "").join("\n\n");
}

function changes({ changes: all, base }: Report): string[] {
  if (all.length === 0) return [];
  const rows = all.map(
    ({ class: kind, message, coordinates }) =>
      `| ${kind} | ${text(message)} | ${coordinates.map(code).join(" ")} |`,
  );
  return [
    `### Changes since ${code(base ?? "")}`,
    ["| class | change | depends on it |", "| --- | --- | --- |", ...rows].join("\n"),
  ];
}

function operations({ base, operations: all }: Report): string[] {
  if (all.length === 0) return [];
  const rows = all.map(
    ({ name, file, verdict, because, calls }) =>
      `| ${verdictName(verdict, base)} | ${code(name)} | ${code(file)} | ${because.map(code).join(" ")} | ${calls ? `${countText(calls.typical)} / ${countText(calls.worst)}` : ""} |`,
  );
  const head = [
    "| verdict | operation | file | by | REST calls, typical / worst |",
    "| --- | --- | --- | --- | --- |",
  ];
  return ["### Saved operations", [...head, ...rows].join("\n")];
}

function credentials({ credentials: all = [] }: Report): string[] {
  if (all.length === 0) return [];
  const rows = all.map(
    ({ operation, credentials: texts, headers = {} }) =>
      `| ${code(operation)} | ${texts.map(text).join("; ")} | ${Object.entries(headers)
        .map(([name, value]) => code(`${name}: ${value}`))
        .join(" ")} |`,
  );
  const head = ["| REST operation | credential | fixed headers |", "| --- | --- | --- |"];
  return ["### Credentials of REST operations", [...head, ...rows].join("\n")];
}

/** Escapes text from spec files, so that GitHub does not render it as markup, a link or a mention. */
const text = (given: string): string =>
  given
    .replace(/[\\`*_<>[\]|#~&]|(?<=:)\/|(?<=www)\./gi, "\\$&")
    .replaceAll("@", "@\u200b")
    .replaceAll("\n", " ");

const code = (given: string): string =>
  `\`${given.replaceAll("`", "'").replaceAll("|", "\\|").replaceAll("\n", " ")}\``;
const fenced = (given: string, language = "text"): string => {
  const fence = "`".repeat(Math.max(3, ...[...given.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${fence}${language}\n${given}\n${fence}`;
};

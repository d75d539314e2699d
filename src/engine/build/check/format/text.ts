/** Prints the report for a terminal: each finding with its locations, then the changes and the saved operations. */
import { styleText } from "node:util";
import { describeCallCount } from "../../bind/call-cost.ts";
import { approvalEntry } from "../approvals.ts";
import { type Finding, type Frame, type ImpactedOperation, isUnapproved, type Report } from "../report.ts";
import { rulePage } from "../rules.ts";
import { summaryLines, verdictName } from "./summary.ts";

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export function formatText(report: Report, colour = false): string {
  const paint: Paint = (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text);
  const blocks = report.findings.map((finding) => findingBlock(finding, paint).join("\n"));
  const changes = changeLines(report, paint);
  const operations = operationLines(report, paint);
  const parts = [
    ...blocks,
    changes.join("\n"),
    operations.join("\n"),
    credentialLines(report, paint).join("\n"),
    summaryLines(report).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function findingBlock(finding: Finding, paint: Paint): string[] {
  const { rule, coordinate, message, places, approval } = finding;
  return [
    `${label(finding, paint)} ${paint("bold", coordinate)}  ${paint("dim", rule)}`,
    `  ${message}`,
    ...(approval ? [] : places.flatMap((place) => frameLines(place, paint))),
    ...impactLines(finding, paint).map((line) => `  ${line}`),
    `  ${approvalOrAdvice(finding, `${paint("cyan", "→")} `)}`,
    ...(approval ? [] : [`  ${paint("dim", rulePage(rule))}`]),
    ...(finding.fingerprint && !approval
      ? [
          "  to approve it, add to spec/approvals.yaml:",
          ...approvalEntry(finding).map((line) => `    ${line}`),
        ]
      : []),
  ];
}

/** The line with the approval, or with the advice if there is no approval. `arrow` precedes the advice. */
export const approvalOrAdvice = ({ approval, hint }: Finding, arrow = ""): string =>
  approval
    ? `approved until ${approval.expires} by ${approval.author}: ${approval.reason}`
    : `${arrow}${hint}`;

/**
 * The lines about a finding's impact: other effects of the same change, the affected coordinates, and the saved operations that
 * it breaks or affects.
 */
export const impactLines = (
  { also, coordinates = [], operations }: Finding,
  paint: Paint = (_style, text) => text,
): string[] => [
  ...(also ?? []).map((each) => `${each.coordinate}  ${paint("dim", each.rule)}: ${each.message}`),
  ...(!also && coordinates.length > 1 ? [`depends on it: ${coordinates.join(", ")}`] : []),
  ...operations.map(impactLine),
];

function label(finding: Finding, paint: Paint): string {
  if (finding.approval) return paint("green", "approved");
  const text = finding.change ?? finding.severity;
  if (!isUnapproved(finding)) return paint("dim", text);
  return paint(finding.severity === "error" ? "red" : "yellow", text);
}

function frameLines({ role, file, line, column, text }: Frame, paint: Paint): string[] {
  const at = `  ${paint("cyan", `${file}:${line}:${column}`)}${role.startsWith("base") ? " (at the base)" : ""}`;
  return [at, ...(text ? text.split("\n").map((each) => `    ${each}`) : [])];
}

const impactLine = ({ name, file, line, verdict }: ImpactedOperation): string =>
  `${verdict}: ${name} (${file}:${line})`;

function changeLines({ changes: all, base }: Report, paint: Paint): string[] {
  if (all.length === 0) return [];
  const lines = all.map(({ class: kind, message, coordinates: [first, ...others] }) => {
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    const at = first === undefined || (more === "" && message.includes(first)) ? "" : `${first}${more}: `;
    return `  ${kind.padEnd(9)} ${at}${message}`;
  });
  return [paint("bold", `Changes since ${base}`), ...lines];
}

/**
 * The lines with the credential and fixed headers of each REST operation. Returns no lines if `spec/credentials.yaml` sets no
 * credentials and no fixed headers.
 */
export function credentialLines(
  { credentials = [] }: Report,
  paint: Paint = (_style, text) => text,
): string[] {
  if (credentials.length === 0) return [];
  const width = Math.max(...credentials.map(({ operation }) => operation.length));
  return [
    paint("bold", "Credentials of REST operations"),
    ...credentials.map(({ operation, credentials: texts, headers = {} }) => {
      const fixed = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      return `  ${operation.padEnd(width)}  ${[...texts, ...fixed].join("; ")}`;
    }),
  ];
}

function operationLines({ operations, base }: Report, paint: Paint): string[] {
  if (operations.length === 0) return [];
  const width = Math.max(...operations.map(({ name }) => name.length));
  return [
    paint("bold", "Saved operations"),
    ...operations.map(({ name, file, line, verdict, because, calls }) => {
      const showsCost = calls && verdict !== "broken";
      const cost = showsCost ? `  ${describeCallCount(calls)}` : "";
      const why = because.length > 0 ? `  by ${because.join(", ")}` : cost;
      return `  ${verdictName(verdict, base).padEnd(9)} ${name.padEnd(width)}  ${file}:${line}${why}`;
    }),
  ];
}

/** Prints GitHub workflow commands: one annotation a finding, at its first place. The text lists the other places. */
import type { Failure } from "../../cli/failure.ts";
import { approvalEntry } from "../approvals.ts";
import type { Finding, Report } from "../report.ts";
import { summaryLines } from "./summary.ts";

export const formatGithub = (report: Report): string =>
  `${[...report.findings.map(annotation), ...summaryLines(report)].join("\n")}\n`;

/** Annotations for a run that failed before it had a report. */
export const failureAnnotations = ({ faults }: Failure): string =>
  faults
    .map(({ message, places: [place] }) => {
      const at = place
        ? `file=${property(`spec/${place.file}`)},line=${place.line},col=${place.column},`
        : "";
      return `::error ${at}title=check failed::${data(message)}\n`;
    })
    .join("");

function annotation(finding: Finding): string {
  const { rule, coordinate, severity, approval, places, message, hint, operations } = finding;
  const level = approval || severity === "note" ? "notice" : severity;
  const [first, ...others] = places;
  const at = first ? `file=${property(first.file)},line=${first.line},col=${first.column},` : "";
  const text = [
    message,
    ...others.map(({ role, file, line, column }) => `${role}: ${file}:${line}:${column}`),
    ...operations.map(({ verdict, name }) => `${verdict}: ${name}`),
    approval ? `approved until ${approval.expires} by ${approval.author}: ${approval.reason}` : hint,
    ...(finding.fingerprint && !approval
      ? ["to approve it, add to spec/approvals.yaml:", ...approvalEntry(finding)]
      : []),
  ];
  return `::${level} ${at}title=${property(`${rule} ${coordinate}`)}::${data(text.join("\n"))}`;
}

const data = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

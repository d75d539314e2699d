/** Prints GitHub workflow commands: one annotation per finding, whose text lists the finding's other locations. */
import type { Failure } from "../../../shared/cli/command-failure.ts";
import { printable } from "../../../shared/cli/printable.ts";
import type { Finding, Report } from "../report.ts";
import { annotationLines, annotationLocation } from "./annotation.ts";
import { summaryLines } from "./summary.ts";
import { credentialLines } from "./text.ts";

export const formatGithub = (report: Report): string =>
  `${[...report.findings.map(annotation), ...credentialGroup(report), ...summaryLines(report)].join("\n")}\n`;

/**
 * Prints the credentials as a collapsible group of log lines. Each line begins with a space, so that the runner does not read
 * it as a workflow command.
 */
function credentialGroup(report: Report): string[] {
  const [title, ...lines] = credentialLines(report);
  return title === undefined ? [] : [`::group::${title}`, ...lines.map(printable), "::endgroup::"];
}

/** Annotations for a run that failed without a report. `below` is the path of the spec folder. */
export const failureAnnotations = ({ faults }: Failure, below: string): string =>
  faults
    .map(({ message, places: [place] }) => {
      const where = place ? at({ ...place, file: `${below}${place.file}` }) : "";
      return `::error ${where}title=check failed::${data(message)}\n`;
    })
    .join("");

function annotation(finding: Finding): string {
  const { rule, coordinate, severity, approval, places, message } = finding;
  const level = approval || severity === "note" ? "notice" : severity;
  const place = annotationLocation(finding);
  const text = [
    message,
    ...places
      // other locations with the role `file` are generated files, which the message already lists
      .filter((other) => other !== place && other.role !== "file")
      .map(({ role, file, line, column }) => `${role}: ${file}:${line}:${column}`),
    ...annotationLines(finding),
  ];
  return `::${level} ${place ? at(place) : ""}title=${property(`${rule} ${coordinate}`)}::${data(text.join("\n"))}`;
}

type At = { readonly file: string; readonly line: number; readonly column: number };

const at = ({ file, line, column }: At): string => `file=${property(file)},line=${line},col=${column},`;

const data = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

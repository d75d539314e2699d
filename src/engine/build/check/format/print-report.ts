/** Prints the report in one of its formats, to a file or to the standard output. */
import { posix, resolve } from "node:path";
import type { Io } from "../../../shared/cli/command.ts";
import type { Failure } from "../../../shared/cli/command-failure.ts";
import { printable } from "../../../shared/cli/printable.ts";
import { replaceFile } from "../../../shared/cli/replace-files.ts";
import { escapeControlCharacters } from "../../../shared/control-characters.ts";
import { isHttpUrl } from "../../../shared/manifests/manifest-locations.ts";
import { pathBelowRepository } from "../../project/path-below-repository.ts";
import type { Report } from "../report.ts";
import { rulePage } from "../rules.ts";
import type { Output } from "./format-option.ts";
import { failureAnnotations, formatGithub } from "./github.ts";
import { formatGitlab } from "./gitlab.ts";
import { failureMarkdown, formatMarkdown } from "./markdown.ts";
import { formatSarif } from "./sarif.ts";
import { formatText } from "./text.ts";

export const printReport = (report: Report, output: Output, io: Io): void =>
  write(format(report, output, io), output, io);

/** Prints the failure of a run without a report, in the formats that a pull request shows. */
export function printFailure(failure: Failure, output: Output, io: Io): void {
  if (output.format === "github")
    write(failureAnnotations(failure, `${pathBelowRepository(io.root)}spec/`), output, io);
  if (output.format === "markdown") write(failureMarkdown(failure), output, io);
}

function write(text: string, { file }: Output, io: Io): void {
  if (file === undefined) io.out(text.trimEnd());
  else replaceFile(resolve(io.root, file), text);
}

const annotations = { github: formatGithub, gitlab: formatGitlab, sarif: formatSarif };

/**
 * Makes every text of the report printable on a single line. Exceptions are JSON, which is escaped as a whole, and code frames,
 * which are already printable. Annotations name files relative to the repository root.
 */
function format(report: Report, output: Output, io: Io): string {
  if (output.format === "json") {
    const findings = report.findings.map((finding) => ({ ...finding, page: rulePage(finding.rule) }));
    const text = JSON.stringify({ ...report, findings }, null, 2);
    return escapeControlCharacters(`${text}\n`).replaceAll("##", "#\\u0023");
  }
  const isAnnotation = output.format === "github" || output.format === "gitlab" || output.format === "sarif";
  const below = isAnnotation ? pathBelowRepository(io.root) : "";
  const shown: Report = JSON.parse(JSON.stringify(report), (key, value) => {
    if (typeof value !== "string" || key === "text") return value;
    return printable(key === "file" && !isHttpUrl(value) ? posix.join(below, value) : value);
  });
  if (isAnnotation) return annotations[output.format](shown);
  return output.format === "markdown"
    ? formatMarkdown(shown)
    : formatText(shown, output.file === undefined && io.colour === true);
}

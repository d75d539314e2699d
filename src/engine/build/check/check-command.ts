/** `restbound check`: runs every stage once and prints the report in all requested formats. */
import { join, posix, relative, resolve } from "node:path";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { type Failure, UsageError } from "../../shared/cli/command-failure.ts";
import { nonEmpty } from "../../shared/cli/command-line.ts";
import { printable, quoteArgument } from "../../shared/cli/printable.ts";
import { removeFile, replaceFile } from "../../shared/cli/replace-files.ts";
import { escapeControlCharacters } from "../../shared/control-characters.ts";
import { isHttpUrl, parseManifestLocations } from "../../shared/manifests/manifest-locations.ts";
import { type Manifest, Manifests } from "../../shared/manifests/manifests.ts";
import { shownUrl } from "../../shared/shown-url.ts";
import { pathBelowRepository } from "../project/path-below-repository.ts";
import type { ValidProject } from "../project/project.ts";
import { folderFiles } from "../project/spec-files.ts";
import { check } from "./check.ts";
import { compositionFindings, readSubgraphs } from "./composition.ts";
import { deployedCommit } from "./deployed-commit.ts";
import { checkSingleStdout, formatOption, type Output, rejectInputFiles } from "./format/format-option.ts";
import { failureAnnotations, formatGithub } from "./format/github.ts";
import { formatGitlab } from "./format/gitlab.ts";
import { failureMarkdown, formatMarkdown } from "./format/markdown.ts";
import { formatSarif } from "./format/sarif.ts";
import { formatText } from "./format/text.ts";
import { freshnessFindings } from "./freshness.ts";
import { gitFiles, hasDiverged } from "./git-files.ts";
import { readUsage } from "./read-usage.ts";
import type { Finding, Report } from "./report.ts";
import { rulePage } from "./rules.ts";

type Given = {
  readonly base?: string;
  readonly usage?: string;
  readonly compose?: readonly string[];
  readonly format: readonly Output[];
};

export function run(argv: readonly string[], io: Io): Promise<number> {
  let outputs: readonly Output[] = [];
  const work = async ({ base, usage, compose = [], format }: Given): Promise<number> => {
    rejectInputFiles(format, io.root, usage);
    outputs = checkSingleStdout(format);
    // remove the reports of an earlier run, in case this one fails
    for (const { file } of outputs) if (file !== undefined) removeFile(resolve(io.root, file));
    io.progress?.("restbound check: proves spec/");
    const report = await reportOf({ base, usage, compose }, io).finally(() => io.progress?.(""));
    for (const output of outputs) printReport(report, output, io);
    if (base !== undefined && report.changes.length > 0 && !isHttpUrl(base) && hasDiverged(io.root, base))
      io.error(
        `--base ${base} has commits that this branch lacks, so what they added looks removed here; to compare with the commit where the branch began: --base "$(git merge-base ${quoteArgument(base)} HEAD)"`,
      );
    if (report.findings.some(({ rule }) => rule === "spec-unreadable")) return 3;
    return report.summary.unapproved === 0 ? 0 : 1;
  };
  const failed = (failure: Failure): void => {
    const below = `${pathBelowRepository(io.root)}spec/`;
    for (const output of outputs) {
      if (output.format === "github") write(failureAnnotations(failure, below), output, io);
      if (output.format === "markdown") write(failureMarkdown(failure), output, io);
    }
  };
  return runCommand("restbound check", argv, { ...io, failed }, (line, does) =>
    line
      .description(
        "Verifies spec/schema.graphql against spec/openapi.yaml, and generated/ and the apps' operations (OPERATIONS_FROM) against both.",
      )
      .option(
        "--base <git ref or URL>",
        "also reports the changes, and their impact, since that commit or since the spec that a role at this URL serves",
        nonEmpty,
      )
      .option(
        "--usage <folder or file>",
        "with --base: a change that reaches nothing that clients used is a note; the folder of USAGE_DIR, or its files concatenated",
        nonEmpty,
      )
      .option(
        "--compose <files...>",
        "also composes the subgraph with other subgraphs of its supergraph: SDL files, each with its subgraph's name",
      )
      .addOption(formatOption())
      .action(does(work)),
  );
}

async function reportOf(
  { base: given, usage, compose = [] }: Omit<Given, "format">,
  { root, today, env, progress }: Io,
): Promise<Report> {
  if (usage !== undefined && given === undefined)
    throw new UsageError(["--usage requires --base: it shows which changes since then matter"]);
  const date = today ?? new Date().toISOString().slice(0, 10);
  const used = usage === undefined ? undefined : readUsage(root, usage, date);
  const base = given !== undefined && isHttpUrl(given) ? await deployedCommit(root, given) : given;
  const before = base === undefined ? undefined : gitFiles(root, base);
  const manifests = await readManifests(root, env.OPERATIONS_FROM);
  const subgraphs = readSubgraphs(root, compose);
  return check({
    manifests,
    files: folderFiles(join(root, "spec")),
    freshness: async (project) => {
      progress?.("restbound check: generates, and compares generated/");
      const files = await generated(project);
      return [
        ...(await freshness(root, files)),
        ...(await compositionFindings(project, files.get("generated/subgraph.graphql"), subgraphs)),
      ];
    },
    today: date,
    ...(given !== undefined &&
      (before
        ? { base: { name: shownUrl(given), files: before, ...(used && { usage: used }) } }
        : { baseless: `there was no project at ${shownUrl(given)}` })),
  });
}

/** Throws `UsageError` if a manifest cannot be read, because that must not look like an app without operations. */
export async function readManifests(root: string, given: string | undefined): Promise<readonly Manifest[]> {
  try {
    const places = parseManifestLocations(given ?? "").map(({ app, at }) => ({
      app,
      at: isHttpUrl(at) ? at : resolve(root, at),
    }));
    const { manifests, faults } = await new Manifests(places).refresh();
    if (faults.length > 0)
      throw new UsageError(faults.map(({ source, reason }) => `OPERATIONS_FROM: ${source} ${reason}`));
    return manifests.map((each) => ({
      ...each,
      source: isHttpUrl(each.source) ? each.source : relative(root, each.source),
    }));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError([`OPERATIONS_FROM: ${(error as Error).message}`]);
  }
}

/** Imports codegen only if there is something to generate, because its libraries take most of the start-up time. */
async function generated(project: ValidProject): Promise<ReadonlyMap<string, string>> {
  const { generate } = await import("../codegen/generate.ts");
  return generate(project);
}

async function freshness(root: string, files: ReadonlyMap<string, string>): Promise<Finding[]> {
  const { generatedFiles } = await import("../codegen/codegen-command.ts");
  return freshnessFindings(root, files, generatedFiles(root));
}

function write(text: string, { file }: Output, io: Io): void {
  if (file === undefined) io.out(text.trimEnd());
  else replaceFile(resolve(io.root, file), text);
}

/** Prints the report to its destination. */
export const printReport = (report: Report, output: Output, io: Io): void =>
  write(print(report, output, io), output, io);

const annotations = { github: formatGithub, gitlab: formatGitlab, sarif: formatSarif };

/**
 * Formats the report. Outside JSON, every text is escaped to a printable line, except frames, which are printable already. In
 * annotations, file names are relative to the repository.
 */
function print(report: Report, { format, file }: Output, io: Io): string {
  if (format === "json") {
    const findings = report.findings.map((finding) => ({ ...finding, page: rulePage(finding.rule) }));
    const text = JSON.stringify({ ...report, findings }, null, 2);
    return escapeControlCharacters(`${text}\n`).replaceAll("##", "#\\u0023");
  }
  const isAnnotation = format === "github" || format === "gitlab" || format === "sarif";
  const below = isAnnotation ? pathBelowRepository(io.root) : "";
  const shown: Report = JSON.parse(JSON.stringify(report), (key, value) => {
    if (typeof value !== "string" || key === "text") return value;
    return printable(key === "file" && !isHttpUrl(value) ? posix.join(below, value) : value);
  });
  if (isAnnotation) return annotations[format](shown);
  return format === "markdown"
    ? formatMarkdown(shown)
    : formatText(shown, file === undefined && io.colour === true);
}

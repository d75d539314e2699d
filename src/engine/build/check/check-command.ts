/** `restbound check`: runs all stages and prints the report in all requested formats. */
import { join, resolve } from "node:path";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { type Failure, UsageError } from "../../shared/cli/command-failure.ts";
import { nonEmpty } from "../../shared/cli/command-line.ts";
import { quoteArgument } from "../../shared/cli/printable.ts";
import { removeFile } from "../../shared/cli/replace-files.ts";
import { isHttpUrl } from "../../shared/manifests/manifest-locations.ts";
import { shownUrl } from "../../shared/shown-url.ts";
import type { ValidProject } from "../project/project.ts";
import { folderFiles } from "../project/spec-files.ts";
import { check } from "./check.ts";
import { compositionFindings, readSubgraphs } from "./composition.ts";
import { deployedCommit } from "./deployed-commit.ts";
import { checkSingleStdout, formatOption, type Output, rejectInputFiles } from "./format/format-option.ts";
import { printFailure, printReport } from "./format/print-report.ts";
import { freshnessFindings } from "./freshness.ts";
import { gitFiles, hasDiverged } from "./git-files.ts";
import { readManifests } from "./read-manifests.ts";
import { readUsage } from "./read-usage.ts";
import type { Finding, Report } from "./report.ts";

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
    // remove reports of an earlier run, in case this run fails
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
    for (const output of outputs) printFailure(failure, output, io);
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

/** Imports codegen only when it is needed, because its libraries take most of the start-up time. */
async function generated(project: ValidProject): Promise<ReadonlyMap<string, string>> {
  const { generate } = await import("../codegen/generate.ts");
  return generate(project);
}

async function freshness(root: string, files: ReadonlyMap<string, string>): Promise<Finding[]> {
  const { generatedFiles } = await import("../codegen/codegen-command.ts");
  return freshnessFindings(root, files, generatedFiles(root));
}

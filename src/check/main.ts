/**
 * `npm run check`: one run of every stage, printed in as many formats as asked for.
 * Exit code: 0 nothing to settle, 1 findings, 2 usage or configuration, 3 a spec file cannot be read, 4 a fault of ours.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname, join, resolve } from "node:path";
import { type Io, processIo, runCommand } from "../spec/command.ts";
import { folderFiles } from "../spec/spec-files.ts";
import { type Arguments, type Output, readArguments, usage } from "./arguments.ts";
import { check } from "./check.ts";
import { failureAnnotations, formatGithub } from "./format-github.ts";
import { formatJson } from "./format-json.ts";
import { formatMarkdown } from "./format-markdown.ts";
import { formatText } from "./format-text.ts";
import { freshnessFindings } from "./freshness.ts";
import { gitFiles } from "./git-files.ts";
import type { Finding, Report } from "./report.ts";

/** `io.root` is the project's folder; relative file names start there. */
export function run(argv: readonly string[], io: Io): Promise<number> {
  let outputs: readonly Output[] = [];
  const command = async (): Promise<number> => {
    const given = readArguments(argv);
    if (given.help) {
      io.out(usage);
      return 0;
    }
    outputs = given.outputs;
    // a run that fails must not leave the report of another behind
    for (const { file } of outputs) if (file !== undefined) rmSync(resolve(io.root, file), { force: true });
    const report = await reportOf(given, io);
    for (const output of outputs) write(print(report, output, io), output, io);
    return report.summary.unapproved === 0 ? 0 : 1;
  };
  return runCommand("check", io, command, (failure) => {
    for (const output of outputs)
      if (output.format === "github") write(failureAnnotations(failure), output, io);
  });
}

const reportOf = ({ base }: Arguments, { root, today }: Io): Promise<Report> =>
  check({
    files: folderFiles(join(root, "spec")),
    freshness: () => freshness(root),
    today: today ?? new Date().toISOString().slice(0, 10),
    ...(base !== undefined && { base: { name: base, files: gitFiles(root, base) } }),
  });

/** Codegen's libraries are most of the start-up: they are loaded only where there is something to generate. */
async function freshness(root: string): Promise<Finding[]> {
  const { generate } = await import("../codegen/generate.ts");
  const { generatedFiles } = await import("../codegen/main.ts");
  return freshnessFindings(root, await generate(root), generatedFiles(root));
}

function write(text: string, { file }: Output, io: Io): void {
  if (file === undefined) return io.out(text.trimEnd());
  const path = resolve(io.root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function print(report: Report, { format, file }: Output, io: Io): string {
  if (format === "json") return formatJson(report);
  if (format === "github") return formatGithub(report);
  return format === "markdown"
    ? formatMarkdown(report)
    : formatText(report, file === undefined && io.colour === true);
}

if (import.meta.main) {
  enableCompileCache();
  process.exitCode = await run(process.argv.slice(2), processIo);
}

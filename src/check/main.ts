/**
 * `npm run check`: one run of every stage, printed in as many formats as asked for.
 * Exit code: 0 nothing to settle, 1 findings, 2 usage or configuration, 3 a spec file cannot be read.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname, join, resolve } from "node:path";
import { folderFiles } from "../spec/spec-files.ts";
import { type Arguments, type Output, readArguments, usage } from "./arguments.ts";
import { check } from "./check.ts";
import { type Io, runCommand } from "./failure.ts";
import { formatGithub } from "./format-github.ts";
import { formatJson } from "./format-json.ts";
import { formatMarkdown } from "./format-markdown.ts";
import { formatText } from "./format-text.ts";
import { freshnessFindings } from "./freshness.ts";
import { gitFiles } from "./git-files.ts";
import type { Finding, Report } from "./report.ts";

/** `io.root` is the project's folder; relative file names start there. */
export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand(io, async () => {
    const given = readArguments(argv);
    if (given.help) {
      io.out(usage);
      return 0;
    }
    const report = await reportOf(given, io);
    for (const output of given.outputs) write(report, output, io);
    return report.summary.unapproved === 0 ? 0 : 1;
  });

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

function write(report: Report, { format, file }: Output, io: Io): void {
  if (file === undefined) return io.out(print(report, format, io.colour === true).trimEnd());
  const path = resolve(io.root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, print(report, format, false));
}

function print(report: Report, format: Output["format"], colour: boolean): string {
  if (format === "json") return formatJson(report);
  if (format === "github") return formatGithub(report);
  return format === "markdown" ? formatMarkdown(report) : formatText(report, colour);
}

if (import.meta.main) {
  enableCompileCache();
  const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
  process.exitCode = await run(process.argv.slice(2), {
    root: process.cwd(),
    out: console.log,
    error: console.error,
    colour,
  });
}

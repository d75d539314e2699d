/** `check --base` of texts: without files and git, and without codegen, whose files may be stale. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { check, examine } from "../../../../src/engine/build/check/check.ts";
import { printReport } from "../../../../src/engine/build/check/format/print-report.ts";
import type { Finding, Report } from "../../../../src/engine/build/check/report.ts";
import type { Usage } from "../../../../src/engine/build/check/usage.ts";
import { Project, type ValidProject } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";
import { depotSpec, silent } from "./run.ts";

type Files = Readonly<Record<string, string>>;
type Given = {
  /** The spec that `files` are added to. */
  readonly spec?: string;
  readonly usage?: Usage;
};

/**
 * The JSON report on `edits` that follow a commit of `repository(files, spec)`. A test needs that repository only if it is about
 * git, generated files or the command line.
 */
export async function stepReport(
  files: Files,
  edits: Files,
  { spec = depotSpec, usage }: Given = {},
): Promise<Report> {
  const base = new Map([...textsOf(spec), ...belowSpec(files)]);
  const head = new Map([...base, ...belowSpec(edits)]);
  const report = await check({
    files: textFiles(head),
    base: { name: "HEAD", files: textFiles(base), ...(usage && { usage }) },
    freshness: async () => [],
    today: "2026-01-01",
  });
  const printed: string[] = [];
  printReport(report, { format: "json" }, { ...silent, root: "", out: (text) => printed.push(text) });
  return JSON.parse(printed.join("\n"));
}

/** The text of each file below a spec folder. */
const textsOf = (spec: string): [name: string, text: string][] =>
  readdirSync(spec, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => [path.slice(spec.length + 1), readFileSync(path, "utf8")]);

function belowSpec(files: Files): [name: string, text: string][] {
  return Object.entries(files).map(([path, text]) => {
    if (!path.startsWith("spec/")) throw new Error(`${path} is not below spec/`);
    return [path.slice("spec/".length), text];
  });
}

/** The findings about the step from one document to the next, and from one schema to the next if there are two. */
export function stepFindings(schema: string, was: string, is: string, now = schema): readonly Finding[] {
  const project = (sdl: string, openapi: string): Project =>
    new Project(textFiles(new Map(Object.entries({ "schema.graphql": sdl, "openapi.yaml": openapi }))));
  const [base, head] = [project(schema, was), project(now, is)] as [ValidProject, ValidProject];
  const errors = base.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  return examine(head, base, "2026-01-01").findings.filter(({ change }) => change);
}

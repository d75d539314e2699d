/** One edit of a spec file with the coordinates of its finding, and the judge that accepts or rejects the findings. */
import { examine } from "../../../../../src/engine/build/check/check.ts";
import type { Finding } from "../../../../../src/engine/build/check/report.ts";
import { UnreadableSpec } from "../../../../../src/engine/build/diagnostic.ts";
import { Project, type ValidProject } from "../../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../../src/engine/build/project/spec-files.ts";
import { type Pair, withFile } from "./pair.ts";
import type { Edit } from "./yaml-edit.ts";

export type Mutation = {
  readonly name: string;
  readonly file: "openapi.yaml" | "schema.graphql";
  readonly edit: Edit;
  /** A finding at any of these coordinates is right. Absent: the edit is harmless, and no finding is right. */
  readonly coordinates?: readonly string[];
};

export type Outcome = { readonly mutation: Mutation; readonly failure?: string };

export function judge(pair: Pair, base: ValidProject, mutation: Mutation): Outcome {
  const findings = findingsOf(pair, base, mutation);
  const { coordinates } = mutation;
  if (!coordinates)
    return findings.length === 0 ? { mutation } : { mutation, failure: `found ${list(findings)}` };
  const told = findings.filter(isOfBreak);
  if (mutation.file === "openapi.yaml" && told.length > 1)
    return { mutation, failure: `told ${told.length} times: ${list(told)}` };
  const at = findings.filter((finding) => coordinates.some((each) => isAt(finding, each)));
  if (at.length === 0)
    return { mutation, failure: `not found at ${coordinates.join(" or ")}: ${list(findings)}` };
  if (at.some((finding) => hasLines(pair, mutation, finding))) return { mutation };
  return {
    mutation,
    failure: `wrong lines (edited ${mutation.edit.lines}, was ${mutation.edit.was}): ${list(at)}`,
  };
}

function findingsOf(pair: Pair, base: ValidProject, { file, edit }: Mutation): readonly Finding[] {
  try {
    const head = new Project(textFiles(withFile(pair, file, edit.text)));
    return examine(head, base, "2026-01-01").findings.filter(({ severity }) => severity !== "note");
  } catch (error) {
    if (!(error instanceof UnreadableSpec)) throw error;
    return error.diagnostics.map(
      ({ rule, coordinate, message }) =>
        ({
          ...{
            stage: "load",
            severity: "error",
            rule,
            coordinate,
            message,
            hint: "",
            places: [],
            operations: [],
          },
        }) as Finding,
    );
  }
}

/** One edit of the document is one cause, and so one such finding. What was wrong before, or is a lasting warning, is none. */
export const isOfBreak = ({ stage, change, severity }: Finding): boolean =>
  change !== undefined || (stage === "proof" && severity === "error");

/** An argument counts as its field. */
const isAt = ({ coordinate, coordinates }: Finding, wanted: string): boolean =>
  [coordinate, ...(coordinates ?? [])].some((each) => each === wanted || each.startsWith(`${wanted}(`));

/** A finding must show the edited line of the edited file and a line of the definition in the schema. */
function hasLines(pair: Pair, { file, edit, coordinates }: Mutation, finding: Finding): boolean {
  const places = finding.places;
  const schemaText = file === "schema.graphql" ? edit.text : (pair.files.get("schema.graphql") ?? "");
  const inSchema = places.filter(({ role }) => role === "schema").map(({ line }) => line);
  const inBase = places.filter(({ role }) => role.startsWith("base")).map(({ line }) => line);
  const edited =
    file === "schema.graphql"
      ? inSchema
      : places.filter(({ role }) => role === "rest").map(({ line }) => line);
  if (!edited.some((line) => edit.lines.includes(line)) && !inBase.some((line) => edit.was.includes(line)))
    return false;
  // a finding of the OpenAPI document alone has no place in the schema
  if (file === "schema.graphql" || (finding.stage === "load" && inSchema.length === 0)) return true;
  const wanted = [finding.coordinate, ...(coordinates ?? [])];
  return inSchema.some((line) =>
    wanted.some((coordinate) => definitionLines(schemaText, coordinate).includes(line)),
  );
}

/** The lines of a field's definition, found by indentation: the parser is under test. */
export function definitionLines(schema: string, coordinate: string): number[] {
  const [, type = "", field = ""] = /^(\w+)\.(\w+)/.exec(coordinate) ?? [];
  const lines = schema.split("\n");
  const start = lines.findIndex((line) => new RegExp(`^(type|input|enum|interface) ${type}\\b`).test(line));
  const from = lines.findIndex((line, index) => index > start && new RegExp(`^ {2}${field}\\b`).test(line));
  if (start < 0 || from < 0) return [];
  const found = [from + 1];
  for (let index = from + 1; /^( {4,}| {2}\))/.test(lines[index] ?? ""); index++) found.push(index + 1);
  return found;
}

const list = (findings: readonly Finding[]): string =>
  findings
    .slice(0, 4)
    .map(
      ({ rule, coordinate, places }) =>
        `${rule} ${coordinate} ${places.map(({ role, line }) => `${role}:${line}`)}`,
    )
    .join("; ") || "nothing";

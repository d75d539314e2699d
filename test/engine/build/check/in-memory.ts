/** `check --base` of a schema over two texts of its OpenAPI document, without files and git. */
import { examine } from "../../../../src/engine/build/check/check.ts";
import type { Finding } from "../../../../src/engine/build/check/report.ts";
import { Project, type ValidProject } from "../../../../src/engine/build/project/project.ts";
import { textFiles } from "../../../../src/engine/build/project/spec-files.ts";

/** The findings about the step from one document to the next, and from one schema to the next if there are two. */
export function stepFindings(schema: string, was: string, is: string, now = schema): readonly Finding[] {
  const project = (sdl: string, openapi: string): Project =>
    new Project(textFiles(new Map(Object.entries({ "schema.graphql": sdl, "openapi.yaml": openapi }))));
  const [base, head] = [project(schema, was), project(now, is)] as [ValidProject, ValidProject];
  const errors = base.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  return examine(head, base, "2026-01-01").findings.filter(({ change }) => change);
}

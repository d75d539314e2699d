/** Tells the operations of apps that this edit breaks from those that did not fit the spec before either. */
import { validate } from "graphql";
import type { Project, ValidProject } from "../project/project.ts";
import { isManifest } from "./frame.ts";
import type { Finding } from "./report.ts";

/** The findings. One about an app's operation that was broken at the base already is a note: no edit here mends it. */
export function withoutStaleApps(
  findings: readonly Finding[],
  head: Project,
  base: ValidProject,
): readonly Finding[] {
  const ofApps = new Set(
    head.diagnostics.flatMap(({ coordinate, schema }) =>
      isManifest(schema?.file ?? "") ? [coordinate] : [],
    ),
  );
  const fitted = new Set(
    head.saved.flatMap(({ name, document }) =>
      ofApps.has(name) && validate(base.model.schema, document).length === 0 ? [name] : [],
    ),
  );
  return findings.map((finding) => {
    const { rule, coordinate } = finding;
    if (rule !== "saved-operation-invalid" || !ofApps.has(coordinate) || fitted.has(coordinate))
      return finding;
    return {
      ...finding,
      severity: "note",
      message: `${finding.message}; it did not fit at the base either`,
      hint: "the app's team has to mend it: clients that ask for it are refused",
    };
  });
}

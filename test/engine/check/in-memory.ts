/** `check --base` of a schema over two texts of its OpenAPI document, without files and git. */
import { type BoundSnapshot, loadSnapshot } from "../../../src/engine/bind/spec-snapshot.ts";
import { examine } from "../../../src/engine/check/check.ts";
import type { Finding } from "../../../src/engine/check/report.ts";
import { memoryFiles } from "./mutations/pair.ts";

/** The findings about the step from one document to the next. */
export function stepFindings(schema: string, was: string, is: string): readonly Finding[] {
  const [base, head] = [was, is].map((text) =>
    loadSnapshot(
      memoryFiles(
        new Map([
          ["schema.graphql", schema],
          ["openapi.yaml", text],
        ]),
      ),
    ),
  ) as [BoundSnapshot, BoundSnapshot];
  const errors = base.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  return examine(head, { ...base, name: "base" }, "2026-01-01").findings.filter(({ change }) => change);
}

/** Golden cases: each folder holds a schema, an OpenAPI document and their expected diagnostics. `vitest -u` rewrites the diagnostics. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Diagnostic,
  type Rule,
  rules,
  UnreadableSpec,
} from "../../../../src/engine/build/diagnostic.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { folderFiles } from "../../../../src/engine/build/project/spec-files.ts";

const folder = join(import.meta.dirname, "cases");
const names = readdirSync(folder);

function diagnose(name: string): readonly Diagnostic[] {
  try {
    return new Project(folderFiles(join(folder, name))).diagnostics;
  } catch (error) {
    if (error instanceof UnreadableSpec) return error.diagnostics;
    throw error;
  }
}

const lines = ({ severity, rule, coordinate, message, hint, schema, rest }: Diagnostic): string =>
  [
    `${severity} ${rule} ${coordinate}`,
    `  ${[schema, rest].flatMap((place) => (place ? [`${place.file}:${place.line}:${place.column}`] : [])).join("  ")}`,
    `  ${message}`,
    `  → ${hint}`,
  ].join("\n");

describe.each(names)("%s", (name) => {
  test("gives exactly the diagnostics of its folder", async () => {
    const text = diagnose(name).map(lines).join("\n\n");
    await expect(`${text || "none"}\n`).toMatchFileSnapshot(join(folder, name, "diagnostics.txt"));
  });
});

test("every rule has a case", () => {
  const texts = names.map((name) => readFileSync(join(folder, name, "diagnostics.txt"), "utf8")).join("\n");
  const elsewhere: Rule[] = ["saved-operation-invalid"];
  const missing = Object.keys(rules).filter(
    (rule) => !elsewhere.includes(rule as Rule) && !texts.includes(` ${rule} `),
  );
  expect(missing).toEqual([]);
});

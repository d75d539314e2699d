/** This service in a temporary folder, whose spec files a test may edit. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { emptyProject, type Project } from "../support/project.ts";

const service = join(import.meta.dirname, "../..");
const files = [
  "src/main.ts",
  "src/platform",
  "package.json",
  "codegen.ts",
  "tsconfig.json",
  "generated",
  "spec",
];

export function copyProject(): Project {
  const copy = emptyProject();
  for (const name of files) cpSync(join(service, name), join(copy.root, name), { recursive: true });
  return copy;
}

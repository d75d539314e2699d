/**
 * The tests and the example of this repository know the API that it comes with. A project on another API has neither, so
 * `npm test` and `npm run types` leave them out from then on. The files stay.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../cli/replace.ts";

const edits: readonly (readonly [file: string, from: string, to: string])[] = [
  ["package.json", "--project shared --project apart --project project", "--project project"],
  ["package.json", " && tsc -p examples/dashboard", ""],
  ["tsconfig.json", '"generated", "test"]', '"generated", "test/project"]'],
];

export function leaveOutOtherTests(root: string): void {
  for (const [file, from, to] of edits) {
    const path = join(root, file);
    if (existsSync(path)) replaceFile(path, readFileSync(path, "utf8").replace(from, to));
  }
}

/** Stage 3: compares `generated/` with the output of codegen. All differences are one finding, because one command mends them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { engineManifest } from "../../shared/cli/engine-manifest.ts";
import { type Finding, ruleFinding } from "./report.ts";

/** A file, its difference in words, and the first line that differs. */
type Stale = { readonly path: string; readonly says: string; readonly line: number };

/** `fresh`: path → text, as `generate()` returns them; `present`: the paths of the files below `generated/`. */
export function freshnessFindings(
  root: string,
  fresh: ReadonlyMap<string, string>,
  present: readonly string[],
): Finding[] {
  const missing = [...fresh.keys()].filter((path) => !present.includes(path));
  const surplus = present.filter((path) => !fresh.has(path));
  const stale: Stale[] = [
    ...missing.map((path) => ({ path, says: "is missing", line: 1 })),
    ...present.flatMap((path) => {
      const text = fresh.get(path);
      // git may write a checkout on Windows with line ends of its own
      const now = readFileSync(join(root, path), "utf8").replaceAll("\r\n", "\n");
      return text === undefined ? [] : changed(path, now, text);
    }),
    ...surplus.map((path) => ({ path, says: "is no longer generated", line: 1 })),
  ];
  if (stale.length === 0) return [];
  return [
    ruleFinding("generated-stale", stale.length === 1 ? (stale[0]?.path ?? "") : "generated", {
      message: `${otherVersion(root, present)}${stale.map(({ path, says }) => `${path} ${says}`).join("; ")}`,
      hint: "run npm run codegen and commit what it writes",
      places: stale.map(({ path, line }) => ({ role: "file", file: path, line, column: 1 })),
    }),
  ];
}

/** What a folder that another version of the engine generated is told by. */
function otherVersion(root: string, present: readonly string[]): string {
  const path = "generated/spec.ts";
  if (!present.includes(path)) return "";
  const { version } = engineManifest();
  const [, by] =
    /^export const engineVersion = "([\w.+-]+)";$/m.exec(readFileSync(join(root, path), "utf8")) ?? [];
  if (by === version) return "";
  return `generated/ was made by ${by === undefined ? "an earlier restbound" : `restbound ${by}`}, and this is ${version}: `;
}

function changed(path: string, now: string, text: string): Stale[] {
  if (now === text) return [];
  const written = now.split("\n");
  const expected = text.split("\n");
  const differing = written.findIndex((line, index) => line !== expected[index]);
  const line = differing < 0 ? written.length : differing + 1;
  return [{ path, says: `is not what codegen writes, from line ${line} on`, line }];
}

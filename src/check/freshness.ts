/** Stage 3: compares `generated/` with the output of codegen. Missing, changed and surplus files are findings. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "./report.ts";

/** `fresh`: path → text, as `generate()` returns them; `present`: the paths of the files below `generated/`. */
export function freshnessFindings(
  root: string,
  fresh: ReadonlyMap<string, string>,
  present: readonly string[],
): Finding[] {
  const missing = [...fresh.keys()].filter((path) => !present.includes(path));
  const surplus = present.filter((path) => !fresh.has(path));
  const changed = present.flatMap((path) => {
    const text = fresh.get(path);
    const now = text === undefined ? undefined : readFileSync(join(root, path), "utf8");
    return text !== undefined && now !== undefined && now !== text ? [{ path, now, text }] : [];
  });
  return [
    ...missing.map((path) => finding("generated-missing", path, `${path} is missing`)),
    ...changed.map(({ path, now, text }) => changedFile(path, now, text)),
    ...surplus.map((path) => finding("generated-surplus", path, `${path} is no longer generated`)),
  ];
}

function changedFile(path: string, now: string, text: string): Finding {
  const [written, expected] = [now.split("\n"), text.split("\n")];
  const differing = written.findIndex((line, index) => line !== expected[index]);
  const line = differing < 0 ? written.length : differing + 1;
  return {
    ...finding("generated-changed", path, `${path} is not what codegen writes, from line ${line} on`),
    places: [{ role: "file", file: path, line, column: 1 }],
  };
}

const finding = (rule: string, path: string, message: string): Finding => ({
  stage: "freshness",
  rule,
  severity: "error",
  coordinate: path,
  message,
  hint: "run npm run codegen and commit what it writes",
  places: [{ role: "file", file: path, line: 1, column: 1 }],
  operations: [],
});

/**
 * Prints a Mermaid graph of each change, the coordinates that it affects, and the saved operations that it breaks or affects.
 * GitHub renders the graph. The most severe changes come first, and changes beyond a limit are only counted.
 */
import { mermaidLabel } from "../../../shared/cli/printable.ts";
import type { Finding, OperationReport, Report } from "../report.ts";

const most = { changes: 8, coordinates: 6, operations: 12 };

/** Returns no lines if there are no unapproved changes. */
export function impactGraph({ findings, operations }: Report): string[] {
  const changes = findings
    .filter(({ change, approval }) => change && !approval)
    .toSorted((one, other) => weightOf(other) - weightOf(one));
  if (changes.length === 0) return [];
  const shown = changes.slice(0, most.changes);
  const reached = new Map<string, string>();
  const lines = shown.flatMap((change, index) => {
    const { coordinate, coordinates = [coordinate], rule } = change;
    const left = coordinates.length - most.coordinates;
    const nodes = coordinates.slice(0, most.coordinates).map((each) => {
      const id = reached.get(each) ?? `f${reached.size}`;
      reached.set(each, id);
      return `  c${index} --> ${id}[${mermaidLabel(each)}]`;
    });
    const more = left > 0 ? [`  c${index} --> m${index}[${mermaidLabel(`${left} more`)}]`] : [];
    return [`  c${index}{{${mermaidLabel(`${change.change}: ${rule}`)}}}`, ...nodes, ...more];
  });
  const left = changes.length - shown.length;
  const hidden = left > 0 ? [`  rest[${mermaidLabel(`${left} more changes`)}]`] : [];
  return ["flowchart LR", ...lines, ...operationLines(operations, reached), ...hidden];
}

/** Sorts breaking changes before dangerous ones, then by the number of operations. */
const weightOf = ({ change, operations }: Finding): number =>
  (change === "breaking" ? 1_000_000 : 0) + operations.length;

function operationLines(all: readonly OperationReport[], reached: ReadonlyMap<string, string>): string[] {
  const touched = all.filter(({ because }) => because.some((each) => reached.has(each)));
  const left = touched.length - most.operations;
  return [
    ...touched
      .slice(0, most.operations)
      .flatMap(({ name, verdict, because }, index) => [
        `  o${index}([${mermaidLabel(`${name}: ${verdict}`)}])`,
        ...because.flatMap((each) => (reached.has(each) ? [`  ${reached.get(each)} --> o${index}`] : [])),
      ]),
    ...(left > 0 ? [`  others([${mermaidLabel(`${left} more operations`)}])`] : []),
  ];
}

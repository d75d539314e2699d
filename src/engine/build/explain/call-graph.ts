/**
 * Draws the REST calls of a saved operation as a Mermaid graph. Calls that can run at the same time share a box. An edge lists
 * the values that a call uses from an earlier call.
 */
import { mermaidLabel } from "../../shared/cli/printable.ts";
import { describeCallCount, describePart, listCalls } from "../bind/call-cost.ts";
import { formatSource } from "../bind/inputs/input-source.ts";
import { type BoundField, describeBatchSize, type Model } from "../bind/model.ts";
import { methodAndPath } from "../openapi/operation.ts";
import type { SavedOperation } from "../schema/saved-operations.ts";

export function callGraph(model: Model, operation: SavedOperation): string[] {
  const levels: string[][] = [];
  const edges: string[] = [];
  const above: { readonly id: string; readonly path: string; readonly level: number }[] = [];
  for (const [index, { path, field, calls, deferredIn }] of listCalls(model, operation).entries()) {
    const id = `c${index}`;
    // `listCalls` lists parents before their children
    const parent = above.findLast(
      (each) => path.startsWith(`${each.path}.`) || path.startsWith(`${each.path}[`),
    );
    const level = parent ? parent.level + 1 : 0;
    above.push({ id, path, level });
    const texts = [path, methodAndPath(field.operation), describeCallCount(calls)];
    const label = [...texts, describePart(deferredIn) ?? []].flat().map(mermaidLabel);
    levels[level] = [
      ...(levels[level] ?? []),
      `    ${id}["${label.map((each) => each.slice(1, -1)).join("<br/>")}"]`,
    ];
    if (parent) edges.push(`  ${parent.id} -->|${mermaidLabel(keysOf(field))}| ${id}`);
  }
  return [
    "flowchart TD",
    ...levels.flatMap((nodes, level) => [
      `  subgraph level${level}[${mermaidLabel(`level ${level + 1}`)}]`,
      ...nodes,
      "  end",
    ]),
    ...edges,
  ];
}

/** Returns the values that a call uses from earlier calls, and the maximum number of keys in a batch. */
function keysOf({ inputs, batch }: BoundField): string {
  const sources = inputs.flatMap(({ source }) =>
    source.kind === "argument" || source.kind === "constant" || source.kind === "tenant"
      ? []
      : [formatSource(source)],
  );
  const batched = batch ? `, ${describeBatchSize(batch)}` : "";
  return `${sources.join(", ") || "nothing: the same call for all parents"}${batched}`;
}

/** Compares two OpenAPI documents, operation by operation. */
import type { Model } from "../../bind/model.ts";
import { methodAndPath, type RestOperation } from "../../openapi/operation.ts";
import { compareSecurity } from "./compare-security.ts";
import { OperationComparison } from "./operation-comparison.ts";
import type { RestChange } from "./rest-change.ts";
import { RestChangeCollector } from "./rest-change-collector.ts";
import { ShapeComparison } from "./shape-comparison.ts";

export function restChanges(base: Model, head: Model): RestChange[] {
  const changes = new RestChangeCollector();
  const shapes = new ShapeComparison(changes);
  const byMethodAndPath = new Map(
    [...head.operations.values()].map((operation) => [methodAndPath(operation), operation]),
  );
  const pairs: [RestOperation, RestOperation][] = [];
  for (const old of base.operations.values()) {
    const now = head.operations.get(old.id) ?? renamedTo(old, byMethodAndPath, base);
    if (now) pairs.push([old, now]);
    new OperationComparison(changes, shapes, old, now, head.document.root).run();
  }
  compareSecurity(changes, base, head, pairs);
  const matched = new Set(pairs.map(([, now]) => now));
  for (const now of head.operations.values()) {
    if (matched.has(now)) continue;
    const at = methodAndPath(now);
    const message = `${at} (${now.id}) is new`;
    changes.add({
      rule: "rest-operation-added",
      class: "safe",
      at,
      message,
      before: null,
      after: now.id,
      new: now.node,
      joins: [],
    });
  }
  return changes.all();
}

/** The new operation with the method and path of `old`, if its `operationId` is new as well. */
function renamedTo(
  old: RestOperation,
  byMethodAndPath: ReadonlyMap<string, RestOperation>,
  base: Model,
): RestOperation | undefined {
  const now = byMethodAndPath.get(methodAndPath(old));
  return now && !base.operations.has(now.id) ? now : undefined;
}

/** Compares two OpenAPI documents, operation by operation. */
import { getNamedType, isAbstractType, isObjectType } from "graphql";
import { boundFields, type Model } from "../../bind/model.ts";
import { nodeKey } from "../../openapi/document.ts";
import { methodAndPath, type RestOperation } from "../../openapi/operation.ts";
import { compareOperation } from "./compare-operation.ts";
import { compareSecurity } from "./compare-security.ts";
import type { RestChange } from "./rest-change.ts";
import { RestChangeCollector } from "./rest-change-collector.ts";
import { ShapeComparison } from "./shape-comparison.ts";

export function restChanges(base: Model, head: Model): RestChange[] {
  const changes = new RestChangeCollector();
  const others = new RestChangeCollector();
  const shapes = new ShapeComparison(changes, nodesWithoutUnion(base));
  const otherShapes = shapes.into(others);
  const bound = new Set(boundFields(base).map(({ operation }) => operation));
  const byMethodAndPath = new Map(
    [...head.operations.values()].map((operation) => [methodAndPath(operation), operation]),
  );
  const pairs: [RestOperation, RestOperation][] = [];
  // a part that bound and unbound operations share has one change: that of the bound operations
  for (const old of [...base.operations.values()].sort((one, other) => +bound.has(other) - +bound.has(one))) {
    const now = head.operations.get(old.id) ?? renamedTo(old, byMethodAndPath, base);
    if (now) pairs.push([old, now]);
    compareOperation(bound.has(old) ? shapes : otherShapes, old, now, head.document.root);
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
  return [...changes.all(), ...unreached(changes, others)];
}

/** The keys of the nodes that fields rest on, if none of these fields is a union or an interface. */
function nodesWithoutUnion({ schema, reliances }: Model): Set<string> {
  const isUnion = (coordinate: string): boolean => {
    const [type = "", field = ""] = coordinate.split(".");
    const owner = schema.getType(type);
    const shown = isObjectType(owner) ? owner.getFields()[field] : undefined;
    return shown !== undefined && isAbstractType(getNamedType(shown.type));
  };
  const byNode = Map.groupBy(reliances, ({ node }) => nodeKey(node));
  return new Set(
    [...byNode].flatMap(([key, all]) => (all.some(({ coordinate }) => isUnion(coordinate)) ? [] : [key])),
  );
}

/**
 * The changes of operations that are not bound: no field rests on them. Such an operation may answer with another
 * schema now. No field rests on that change, even if fields rest on the schema.
 */
const unreached = (changes: RestChangeCollector, others: RestChangeCollector): RestChange[] =>
  others.all().flatMap((change) => (changes.has(change) ? [] : { ...change, joins: [], operations: [] }));

/** The new operation with the method and path of `old`, if its `operationId` is new as well. */
function renamedTo(
  old: RestOperation,
  byMethodAndPath: ReadonlyMap<string, RestOperation>,
  base: Model,
): RestOperation | undefined {
  const now = byMethodAndPath.get(methodAndPath(old));
  return now && !base.operations.has(now.id) ? now : undefined;
}

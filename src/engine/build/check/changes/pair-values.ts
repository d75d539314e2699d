/**
 * Compares the REST schema of each returned or sent value with its schema in the base. Pairs the values by coordinate and by the
 * OpenAPI node that uses the schema, because one input type may be sent to several operations, each with its own REST schema.
 */

import { getNullableType, isScalarType, isSpecifiedScalarType } from "graphql";
import type { Model, ValueUse } from "../../bind/model.ts";
import { describeNode } from "../../openapi/describe-node.ts";
import { type Difference, restChange } from "./change.ts";
import { differencesOf } from "./classify-value-change.ts";
import { rejectedParts } from "./rest-schema-changes.ts";

export function valueChanges(base: Model, head: Model): Difference[] {
  const now = Map.groupBy(head.values, keyOf);
  return [...Map.groupBy(base.values, keyOf)].flatMap(([key, old]) =>
    pairs(base, head, old, now.get(key) ?? []).flatMap((pair) => changesOf(base, head, pair)),
  );
}

/** Includes the list depth of the type, because a list and its items have the same coordinate. */
const keyOf = ({ direction, coordinate, type }: ValueUse): string =>
  `${direction} ${coordinate} ${String(type).split("[").length}`;

type Pair = readonly [old: ValueUse, now: ValueUse];

/** Pairs values at the same node, such as the response of one status. Pairs the remaining values in order. */
function pairs(base: Model, head: Model, old: readonly ValueUse[], now: readonly ValueUse[]): Pair[] {
  const left = Map.groupBy(now, (use) => valueKey(head, use));
  const found: Pair[] = [];
  const unmatched: ValueUse[] = [];
  for (const use of old) {
    const other = left.get(valueKey(base, use))?.shift();
    if (other) found.push([use, other]);
    else unmatched.push(use);
  }
  const others = [...left.values()].flat();
  const rest = unmatched.flatMap((use, index): Pair[] => (others[index] ? [[use, others[index]]] : []));
  return [...found, ...rest];
}

const valueKey = ({ document }: Model, { node }: ValueUse): string =>
  `${describeNode(document, node)} ${node.path[3] === "responses" ? node.path[4] : ""}`;

function changesOf(base: Model, head: Model, [old, now]: Pair): Difference[] {
  const { coordinate, direction, type } = now;
  const bare = type && getNullableType(type);
  const isCustomScalar = direction === "request" && isScalarType(bare) && !isSpecifiedScalarType(bare);
  const all = isCustomScalar
    ? rejectedParts(old, now)
    : differencesOf(now, old.shape, now.shape).map((found) => ({ found, was: old, is: now }));
  return all.map(({ found, was, is }) => {
    // if a value now refers to another schema, the value is reported: other uses of the old schema are unaffected
    const isOfSchema =
      !/^rest-(nullable|required)-changed$|-removed$/.test(found.rule) &&
      describeNode(base.document, was.shape.node) === describeNode(head.document, is.shape.node);
    const rest = isOfSchema ? { old: was.shape.node, new: is.shape.node } : { old: was.node, new: is.node };
    return restChange(base, head, found, { coordinate, direction, rest });
  });
}

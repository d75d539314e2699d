/** `batchBy`: one list call for many parents. Finds the key, the size of a chunk, and how answers go back. */
import { getNamedType, getNullableType, isListType, isObjectType } from "graphql";
import { checkCut } from "./bind-batch-cut.ts";
import type { Binding } from "./binding.ts";
import type { Bound } from "./bound.ts";
import { directivePlace } from "./directives.ts";
import { didYouMean } from "./findings.ts";
import type { Batch, Input } from "./model.ts";
import { declared, fits, type Shape } from "./shape.ts";

const defaultSize = 100;

/** `result` is the shape of the list that the call answers. `undefined` after a finding. */
export function bindBatch(
  binding: Binding,
  bound: Bound,
  inputs: readonly Input[],
  result: Shape,
): Batch | undefined {
  const { field, directive, operation } = bound;
  const match = directive.batchBy ?? "";
  const where = { ...bound.where, schema: directivePlace(field, "rest", "batchBy") ?? bound.where.schema };
  const keys = inputs.filter(
    (input): input is Batch["key"] => input.source.kind === "parent" && input.shape.types.has("array"),
  );
  const [key] = keys;
  if (!key || keys.length > 1) {
    const rest = { ...where, rest: operation.node };
    binding.findings.add(
      "batch-key",
      rest,
      `batchBy needs exactly one array parameter fed from the parent; ${operation.id} has ${keys.length} here`,
      'feed an array parameter with `from: "parent.…"`',
    );
    return undefined;
  }
  for (const other of inputs) {
    if (other === key || other.source.kind !== "parent") continue;
    binding.findings.add(
      "batch-key",
      { ...where, rest: other.node },
      `"${other.name}" is fed from the parent as well, but one call of ${operation.id} is for many parents`,
      "feed it from an argument or a constant, or remove batchBy",
    );
  }
  const parentShape = key.source.shape;
  const listKey = parentShape.types.has("array");
  const keyShape = listKey ? parentShape.items : parentShape;
  checkMatch(binding, bound, { where, match, key, keyShape, items: result.items });
  const { maxItems } = key.shape.limits;
  const size = typeof maxItems === "number" ? maxItems : defaultSize;
  const mode = listKey ? "each" : isListType(getNullableType(field.type)) ? "many" : "one";
  if (listKey && !isListType(getNullableType(field.type))) {
    binding.findings.add(
      "output-list",
      where,
      `${where.coordinate} is ${field.type}, but its key is a list`,
      "make the field a list",
    );
  }
  const batch: Batch = { key, match, size, mode };
  checkCut(binding, bound, inputs, batch);
  return batch;
}

type Match = {
  where: Bound["where"];
  match: string;
  key: Input;
  keyShape: Shape | undefined;
  items: Shape | undefined;
};

function checkMatch(binding: Binding, bound: Bound, { where, match, key, keyShape, items }: Match): void {
  const property = items && declared(items, match);
  if (!items || !property) {
    const near = items ? didYouMean(match, items.properties.keys()) : "";
    const type = getNamedType(bound.field.type);
    const what = items
      ? "the items have"
      : `${isObjectType(type) ? type.name : "the answer"} is not a list, it has`;
    return binding.findings.add(
      "batch-match",
      { ...where, rest: items?.node ?? bound.operation.node },
      `batchBy "${match}": ${what} no such property${near}`,
      "name the property of the items that holds the key",
    );
  }
  const at = { ...where, rest: property.node };
  binding.rely(where.coordinate, property.node, property.shape.node);
  binding.relyOnRequest(where.coordinate, key.shape.node, key.shape.items?.node);
  if (!property.required || property.shape.nullable) {
    binding.findings.add(
      "batch-match",
      at,
      `batchBy "${match}": REST may leave it out or send null, so answers could be lost`,
      "match by a property that is required and not null",
    );
  }
  const parameterItems = key.shape.items;
  for (const [shape, what] of [
    [property.shape, "the items' property"],
    [parameterItems, `the parameter "${key.name}"`],
  ] as const) {
    if (keyShape && shape && !fits(keyShape, shape)) {
      binding.findings.add(
        "batch-match",
        at,
        `batchBy "${match}": the parent's key is ${[...keyShape.types]}, ${what} is ${[...shape.types]}`,
        "match values of one type",
      );
    }
  }
}

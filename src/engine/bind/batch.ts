/** Binds `batchBy`, one list call for many parents: finds the key parameter and the chunk size, and checks the match. */
import { getNamedType, getNullableType, isListType, isObjectType } from "graphql";
import { declaredNames, declaredProperty, type Shape, typesFit } from "../openapi/shapes/shape.ts";
import { directivePlace } from "../schema/directives.ts";
import type { Binder } from "./binder.ts";
import { checkBatchCut } from "./check-batch-cut.ts";
import type { FieldInProgress } from "./field-in-progress.ts";
import type { Batch, Input } from "./model.ts";

/** The greatest number of keys in one call. */
export const batchSize = ({ shape: { limits } }: Pick<Input, "shape">): number =>
  typeof limits.maxItems === "number" ? limits.maxItems : 100;

/** `result` is the shape of the list in the response. Returns `undefined` after a finding. */
export function bindBatch(
  binder: Binder,
  field: FieldInProgress,
  inputs: readonly Input[],
  result: Shape,
): Batch | undefined {
  const { definition, directive, operation } = field;
  const match = directive.batchBy ?? "";
  const where = {
    ...field.where,
    schema: directivePlace(definition, "rest", "batchBy"),
  };
  const keys = inputs.filter(
    (input): input is Batch["key"] => input.source.kind === "parent" && input.shape.types.has("array"),
  );
  const [key] = keys;
  // a misspelt key parameter has its own finding, and so has a misspelt source of the key
  if (!key && binder.findings.hasErrorAt(where.coordinate)) return undefined;
  if (!key || keys.length > 1) {
    const fed = inputs.find(({ source }) => source.kind === "parent");
    const rest = { ...where, rest: fed?.node ?? operation.node };
    binder.findings.add(
      "batch-key",
      rest,
      `batchBy needs exactly one array parameter fed from the parent; ${operation.id} has ${keys.length} here`,
      'feed an array parameter with `from: "parent.…"`',
    );
    return undefined;
  }
  for (const other of inputs) {
    if (other === key || other.source.kind !== "parent") continue;
    binder.findings.add(
      "batch-key",
      { ...where, rest: other.node },
      `"${other.name}" is fed from the parent as well, but one call of ${operation.id} is for many parents`,
      "feed it from an argument or a constant, or remove batchBy",
    );
  }
  const parentShape = key.source.shape;
  const listKey = parentShape.types.has("array");
  const keyShape = listKey ? parentShape.items : parentShape;
  checkMatch(binder, field, { where, match, key, keyShape, items: result.items });
  const mode = listKey ? "each" : isListType(getNullableType(definition.type)) ? "many" : "one";
  if (listKey && !isListType(getNullableType(definition.type))) {
    binder.findings.add(
      "output-list",
      where,
      `${where.coordinate} is ${definition.type}, but its key is a list`,
      "make the field a list",
    );
  }
  const batch: Batch = { key, match, size: batchSize(key), mode };
  checkBatchCut(binder, field, inputs, batch);
  return batch;
}

type MatchCheck = {
  where: FieldInProgress["where"];
  match: string;
  key: Input;
  keyShape: Shape | undefined;
  items: Shape | undefined;
};

function checkMatch(
  binder: Binder,
  field: FieldInProgress,
  { where, match, key, keyShape, items }: MatchCheck,
): void {
  const property = items && declaredProperty(items, match);
  if (!items || !property) {
    const near = items ? binder.findings.didYouMean(match, () => declaredNames(items)) : "";
    const type = getNamedType(field.definition.type);
    const what = items
      ? "the items have"
      : `${isObjectType(type) ? type.name : "the answer"} is not a list, it has`;
    return binder.findings.add(
      "batch-match",
      { ...where, rest: items?.node ?? field.operation.node },
      `batchBy "${match}": ${what} no such property${near}`,
      "name the property of the items that holds the key",
    );
  }
  const at = { ...where, rest: property.node, also: [key.shape.items?.node, keyShape?.node] };
  if (!property.required || property.shape.nullable) {
    binder.findings.add(
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
    if (keyShape && shape && !typesFit(keyShape, shape)) {
      binder.findings.add(
        "batch-match",
        at,
        `batchBy "${match}": the parent's key is ${[...keyShape.types]}, ${what} is ${[...shape.types]}`,
        "match values of one type",
      );
    }
  }
}

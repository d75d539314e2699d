/**
 * Binds a field that one REST call loads for many parent objects. With `batchBy`, the call sends the parents' keys in a list
 * parameter: `GET /authors?ids=1,2`. With `in: ITEM`, it loads the complete list, `GET /authors`, and finds each parent's item by
 * its key.
 */
import { getNamedType, getNullableType, isListType, isObjectType } from "graphql";
import type { RestNode } from "../openapi/document.ts";
import { inputKey, type Parameter } from "../openapi/operation.ts";
import { propertiesOnPath } from "../openapi/shapes/property-paths.ts";
import {
  declaredNames,
  declaredProperty,
  type Property,
  Shape,
  textFits,
  typesFit,
} from "../openapi/shapes/shape.ts";
import { atRestDirective, type FieldContext } from "./field-context.ts";
import { readSource } from "./inputs/read-source.ts";
import { isPagingParameter } from "./list-length.ts";
import type { Batch, Input } from "./model.ts";
import { checkUnpagedList } from "./outputs/unpaged-list.ts";

export const maxBatchSize = ({ in: at, shape: { limits } }: Pick<Input, "in" | "shape">): number =>
  at === "item" ? Number.POSITIVE_INFINITY : typeof limits.maxItems === "number" ? limits.maxItems : 100;

/** Returns the valid `params` with `in: ITEM`, and reports the invalid ones. */
export function itemKeys(field: FieldContext, list: Shape | undefined): Input[] {
  const { binder, directive, operation } = field;
  return directive.params.flatMap(({ name, in: at, from = "" }, index): Input[] => {
    if (at !== "item") return [];
    const where = atRestDirective(field, "params", index);
    const refuse = (message: string, hint: string): Input[] => {
      binder.findings.add("batch-key", { ...where, rest: operation.node }, message, hint);
      return [];
    };
    if (directive.batchBy !== undefined)
      return refuse(
        `"${name}" in ITEM names the property of the items that holds the key, and so does batchBy`,
        "remove one of them",
      );
    if (!from.startsWith("parent."))
      return refuse(
        `"${name}" in ITEM is compared with a key of each parent, but it has no \`from: "parent.…"\``,
        "feed it from a property of the parent",
      );
    const source = readSource(field, from, where);
    const property = list?.items && keyProperties(list.items, name)?.at(-1);
    const { shape, node } = property ?? { shape: new Shape(operation), node: operation.node };
    return source ? [{ name, in: at, required: false, shape, node, source }] : [];
  });
}

/** Returns `undefined` after reporting an invalid batch. */
export function bindBatch(field: FieldContext, inputs: readonly Input[], result: Shape): Batch | undefined {
  const { binder, definition, directive, operation } = field;
  const where = atRestDirective(field, "batchBy");
  const keys = inputs.filter(
    (input): input is Batch["key"] =>
      input.source.kind === "parent" && (input.in === "item" || input.shape.types.has("array")),
  );
  const refuse = (rest: RestNode, message: string, hint: string): void =>
    binder.findings.add("batch-key", { ...where, rest }, message, hint);
  const [key] = keys;
  // a misspelt parameter or source has already been reported
  if (!key && binder.findings.hasErrorAt(where.coordinate)) return undefined;
  if (!key || keys.length > 1) {
    const fed = inputs.find(({ source }) => source.kind === "parent");
    const isLookUp = keys.some((each) => each.in === "item");
    refuse(
      fed?.node ?? operation.node,
      isLookUp
        ? `${where.coordinate} is found by one key of its parent, and has ${keys.length}`
        : `batchBy needs exactly one array parameter fed from the parent; ${operation.id} has ${keys.length} here`,
      isLookUp ? "keep one of them" : 'feed an array parameter with `from: "parent.…"`',
    );
    return undefined;
  }
  for (const other of inputs) {
    if (other === key || other.source.kind !== "parent") continue;
    refuse(
      other.node,
      `"${other.name}" is fed from the parent as well, but one call of ${operation.id} is for many parents`,
      `feed it from an argument or a constant, or remove ${key.in === "item" ? `"${key.name}" in ITEM` : "batchBy"}`,
    );
  }
  const parentShape = key.source.shape;
  const listKey = parentShape.types.has("array");
  const keyShape = listKey ? parentShape.items : parentShape;
  checkMatch(field, key, keyShape, result.items);
  const mode = listKey ? "each" : isListType(getNullableType(definition.type)) ? "many" : "one";
  if (listKey && !isListType(getNullableType(definition.type))) {
    binder.findings.add(
      "output-list",
      where,
      `${where.coordinate} is ${definition.type}, but its key is a list`,
      "make the field a list",
    );
  }
  const before = binder.fields.get(where.coordinate);
  const hasNullItems =
    (listKey && (!keyShape || keyShape.nullable || keyShape.types.size === 0)) ||
    (before?.kind === "bound" && before.batch?.nullItems);
  const batch: Batch = {
    key,
    match: keyProperties(result.items, directive.batchBy)?.map(({ name }) => name) ?? [],
    size: maxBatchSize(key),
    mode,
    ...(hasNullItems && { nullItems: true }),
  };
  if (key.in === "item") checkUnpagedList(field, where);
  else checkBatchCut(field, inputs, batch);
  return batch;
}

/**
 * `service.id` → the properties `service` and `id`, or the single property named `service.id`. Returns `undefined` for a missing
 * property.
 */
export function keyProperties(items: Shape | undefined, match = ""): Property[] | undefined {
  const own = items && declaredProperty(items, match);
  if (!items || own) return own && [own];
  const steps = match.split(".");
  const found = propertiesOnPath(items, steps);
  return found.length === steps.length ? found : undefined;
}

function checkMatch(
  field: FieldContext,
  key: Input,
  keyShape: Shape | undefined,
  items: Shape | undefined,
): void {
  const { findings } = field.binder;
  const { batchBy: match = "" } = field.directive;
  const where = atRestDirective(field, "batchBy");
  const path = keyProperties(items, match);
  const property = path?.at(-1);
  const written = key.in === "item" ? "in: ITEM" : "batchBy";
  if (!items || !path || !property) {
    const near = items ? findings.didYouMean(match, () => declaredNames(items)) : "";
    const type = getNamedType(field.definition.type);
    const what = items
      ? "the items have"
      : `${isObjectType(type) ? type.name : "the response"} is not a list, it has`;
    return findings.add(
      "batch-match",
      { ...where, rest: items?.node ?? field.operation.node },
      `${written} "${match}": ${what} no such property${near}`,
      "name the property of the items that holds the key",
    );
  }
  const at = { ...where, rest: property.node, also: [key.shape.items?.node, keyShape?.node] };
  if (path.some(({ required, shape }) => !required || shape.nullable)) {
    findings.add(
      "batch-match",
      at,
      `${where.coordinate} finds its objects by "${match}" (${written}), which REST may leave out or send as null: they could be lost`,
      "match by a property that is required and not null",
    );
  }
  // with `in: ITEM`, the server compares the two values as strings
  const fits =
    key.in === "item" ? (one: Shape, other: Shape) => textFits(one, other) || textFits(other, one) : typesFit;
  const parameterItems = key.in === "item" ? undefined : key.shape.items;
  for (const [shape, what] of [
    [property.shape, "the items' property"],
    [parameterItems, `the parameter "${key.name}"`],
  ] as const) {
    if (keyShape && shape && !fits(keyShape, shape)) {
      findings.add(
        "batch-match",
        at,
        `${written} "${match}": the parent's key is ${[...keyShape.types]}, ${what} is ${[...shape.types]}`,
        "match values of one type",
      );
    }
  }
}

/**
 * Reports a page size that may cut off the response to a batch. A page must have room for one object per key. For a list of
 * objects per key, the document must declare by `x-limit-per` that the page size applies to each key.
 */
export function checkBatchCut(
  field: FieldContext,
  inputs: readonly Input[],
  batch: Pick<Batch, "mode" | "size"> & { readonly key: Input },
): void {
  const { findings } = field.binder;
  const fed = new Map(inputs.map((input) => [inputKey(input), input]));
  for (const parameter of field.operation.parameters) {
    if (!isPagingParameter(parameter) || parameter.limitPer === batch.key.name) continue;
    const at = { ...field.where, rest: parameter.node };
    const input = fed.get(inputKey(parameter));
    const cut = input ? fedCut(input, batch) : unfedCut(parameter, batch);
    const hint = `feed it with params: { name: "${parameter.name}", value: ${batch.size} }`;
    if (batch.mode === "many") findings.add("batch-page", at, ...pageOf(parameter, batch));
    else if (cut) findings.add("batch-cut-off", at, `"${parameter.name}" is ${cut}`, hint);
  }
}

function unfedCut({ shape }: Parameter, { size }: Pick<Batch, "size">): string | undefined {
  const { default: byDefault, maximum } = shape.limits;
  const most = [byDefault, maximum].find((limit) => typeof limit === "number" && limit > 1 && limit < size);
  return most === undefined ? undefined : `fed by nothing and lets ${most} of ${size} answers through`;
}

function fedCut({ source }: Input, { size }: Pick<Batch, "size">): string | undefined {
  if (source.kind === "argument")
    return `fed by the argument "${source.path.join(".")}", which may be less than a chunk of ${size}`;
  return source.kind === "constant" && Number(source.value) < size
    ? `${source.value}, but a chunk asks for ${size} objects`
    : undefined;
}

const pageOf = ({ name }: Parameter, { key }: { readonly key: Input }): [message: string, hint: string] => [
  `"${name}" may limit the response for all parents together, so that some of them get only a part of their items, or none`,
  `if it limits the items of each key, declare that on the parameter, in the document: \`x-limit-per: ${key.name}\``,
];

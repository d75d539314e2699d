/** Links that are not batched and can be reached through a list: one REST call a parent, with the worst case counted. */
import { getNamedType, getNullableType, isAbstractType, isListType, isObjectType } from "graphql";
import type { Findings } from "./findings.ts";
import type { BoundField, Model } from "./model.ts";

/** A list whose length REST does not bound counts as this many. */
const assumedPage = 100;

export function nPlusOne(model: Model, findings: Findings): void {
  const lengths = listLengths(model);
  for (const field of model.fields.values()) {
    const parents = lengths.get(field.type) ?? 1;
    if (
      field.kind !== "bound" ||
      field.batch ||
      parents < 2 ||
      !field.inputs.some(({ source }) => source.kind === "parent")
    )
      continue;
    const where = { coordinate: field.coordinate, schema: field.place, rest: field.operation.node };
    const message = `${field.coordinate} calls ${field.operation.id} once a parent: up to ${parents} calls below a list`;
    findings.add("n-plus-one", where, message, "bind a list operation with batchBy, or approve it", [
      field.operation.id,
    ]);
  }
}

/** Object type → the most objects of it that one list field can put side by side. */
function listLengths(model: Model): Map<string, number> {
  const lengths = new Map<string, number>();
  for (const { type, field, ...rest } of model.fields.values()) {
    const parent = model.schema.getType(type);
    const definition = isObjectType(parent) ? parent.getFields()[field] : undefined;
    if (!definition || !isListType(getNullableType(definition.type))) continue;
    const named = getNamedType(definition.type);
    const members = isAbstractType(named) ? model.schema.getPossibleTypes(named) : [named];
    const length = rest.kind === "bound" ? pageOf(rest) : assumedPage;
    for (const { name } of members) lengths.set(name, Math.max(lengths.get(name) ?? 1, length));
  }
  return lengths;
}

/** The largest page that the call can answer: the largest `maximum` of its integer query parameters. */
function pageOf(field: Pick<BoundField, "operation">): number {
  const bounds = field.operation.parameters.flatMap(({ shape }) =>
    shape.types.has("integer") && typeof shape.limits.maximum === "number" ? [shape.limits.maximum] : [],
  );
  return bounds.length > 0 ? Math.max(...bounds) : assumedPage;
}

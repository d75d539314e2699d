/** Reports fields below a list that call REST once per parent (n+1 calls), or once per enclosing object. */
import { getNullableType, isListType } from "graphql";
import type { Shape } from "../../openapi/shapes/shape.ts";
import { nodeLocation } from "../../schema/directives.ts";
import { boundRoots, objectTypesOf } from "../../schema/object-types.ts";
import type { Findings } from "../findings.ts";
import { enclosingTypes } from "../inputs/input-source.ts";
import { assumedLength, countText, mostCounted, pageLength } from "../list-length.ts";
import type { BoundField, Model, ModelField } from "../model.ts";

export function checkNPlusOne(model: Model, findings: Findings): void {
  const counts = mostObjectsByType(model);
  for (const field of model.fields.values()) {
    if (field.kind !== "bound") continue;
    const isOncePerParent = !field.batch && field.inputs.some(({ source }) => source.kind === "parent");
    const types = isOncePerParent ? [field.type] : enclosingTypes(field);
    const calls = Math.max(1, ...types.map((type) => counts.get(type) ?? 1));
    if (calls < 2 || findings.hasErrorAt(field.coordinate)) continue;
    const where = {
      coordinate: field.coordinate,
      schema: nodeLocation(field.definition.astNode),
      rest: field.operation.node,
      facts: [field.operation.id],
    };
    const each = isOncePerParent ? "once per parent" : `once for each ${types.join(" and ")}`;
    const message = `${field.coordinate} calls ${field.operation.id} ${each}: ${calls > mostCounted ? "" : "up to "}${countText(calls)} calls below a list`;
    findings.add("n-plus-one", where, message, hintFor(field, isOncePerParent));
  }
}

function hintFor({ inputs }: BoundField, isOncePerParent: boolean): string {
  if (!isOncePerParent) return "approve it if few of them are selected at once";
  return inputs.some(({ source, shape }) => source.kind === "parent" && shape.types.has("array"))
    ? "add batchBy, with the property of the items that holds the keys: one call is for many parents then; or approve it"
    : "bind a list operation with batchBy, or one that gives the whole list with in: ITEM; or approve it";
}

type Edge = { readonly to: string; readonly length: number };

/**
 * Object type → maximum number of its objects below one root field. The number is the product of the list lengths on the path to
 * the type. Follows a recursive type only once.
 */
function mostObjectsByType(model: Model): Map<string, number> {
  const edges = edgesOf(model);
  const most = new Map<string, number>();
  const visit = (type: string, count: number, path: ReadonlySet<string>): void => {
    const known = most.get(type);
    if (known !== undefined && known >= count) return;
    most.set(type, count);
    for (const { to, length } of edges.get(type) ?? []) {
      if (!path.has(to)) visit(to, count * length, new Set([...path, to]));
    }
  };
  for (const { name } of boundRoots(model.schema)) visit(name, 1, new Set([name]));
  return most;
}

function edgesOf(model: Model): Map<string, Edge[]> {
  const edges = new Map<string, Edge[]>();
  for (const field of model.fields.values()) {
    const { type } = field.definition;
    const members = objectTypesOf(model.schema, type);
    const length = isListType(getNullableType(type)) ? lengthOf(model, field) : 1;
    const found = members.map(({ name }) => ({ to: name, length }));
    edges.set(field.type, [...(edges.get(field.type) ?? []), ...found]);
  }
  return edges;
}

/** Returns the page size, `maxItems`, or an assumed length. */
function lengthOf(model: Model, field: ModelField): number {
  if (field.kind === "bound") return pageLength(field)?.worst ?? assumedLength.worst;
  const shapes = (model.backings.get(field.type) ?? []).map(({ shape }) =>
    field.path.reduce<Shape | undefined>((owner, step) => owner?.properties.get(step)?.shape, shape),
  );
  const bounds = shapes.map((shape) => shape?.limits.maxItems);
  return bounds.every((bound) => typeof bound === "number") ? Math.max(...bounds) : assumedLength.worst;
}

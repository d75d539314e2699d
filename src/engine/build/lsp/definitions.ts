/**
 * Implements "go to definition" from a field, an argument or `@rest` to the OpenAPI document, and from the document to the
 * fields.
 */
import type { GraphQLSchema } from "graphql";
import { inputSlotsOf } from "../bind/inputs/input-slots.ts";
import { boundFields, type Model } from "../bind/model.ts";
import type { FileLocation, NodeLocation, NodePath } from "../diagnostic.ts";
import { coordinateLocation } from "../schema/schema-coordinate.ts";
import { inputsFedBy, propertyOf } from "./hover.ts";
import type { SchemaPosition } from "./schema-position.ts";

/** Returns the OpenAPI nodes of the operation, parameter or property at a position in the schema. */
export function restNodesAt(model: Model, position: SchemaPosition): NodeLocation[] {
  const { type, member, argument, operation: name, path, word } = position;
  const operation = name === undefined ? undefined : model.operations.named(name);
  if (operation && path.join(".") === "params.name")
    return inputSlotsOf(operation).flatMap((slot) => (slot.name === word?.text ? slot.node : []));
  if (operation) return [operation.node];
  const field = model.fields.get(`${type}.${member}`);
  if (!field) return [];
  if (field.kind === "plain") {
    const property = propertyOf(model, field);
    return property ? [property.node] : [];
  }
  const fed = argument === undefined ? [] : inputsFedBy(field, argument);
  return fed.length > 0 ? fed.map(({ node }) => node) : [field.operation.node];
}

/** Returns the coordinates of the fields that are bound to the node at `path`, or to its nearest ancestor with a bound field. */
export function boundCoordinates(model: Model, file: string, path: NodePath): string[] {
  let deepest = -1;
  let coordinates = new Set<string>();
  for (const [node, coordinate] of boundNodes(model)) {
    const { length } = node.path;
    if (
      node.file !== file ||
      length < deepest ||
      !node.path.every((step, at) => String(step) === String(path[at]))
    )
      continue;
    if (length > deepest) coordinates = new Set();
    deepest = length;
    coordinates.add(coordinate);
  }
  return [...coordinates];
}

function* boundNodes(model: Model): Generator<readonly [NodeLocation, string]> {
  for (const field of model.fields.values()) {
    if (field.kind === "plain") {
      const node = propertyOf(model, field)?.node;
      if (node) yield [node, field.coordinate];
    }
  }
  for (const { operation, inputs, coordinate } of boundFields(model)) {
    yield [operation.node, coordinate];
    for (const { node } of inputs) yield [node, coordinate];
  }
}

export const coordinateLocations = (schema: GraphQLSchema, coordinates: readonly string[]): FileLocation[] =>
  coordinates.flatMap((coordinate) => coordinateLocation(schema, coordinate) ?? []);

/** Returns the hover text for a field, an argument or an operation's name. */
import { inputSlotsOf } from "../bind/inputs/input-slots.ts";
import type { BoundField, Input, Model, PlainField } from "../bind/model.ts";
import { explain } from "../explain/explain.ts";
import { componentName } from "../openapi/component-names.ts";
import { operationLabel, type RestOperation } from "../openapi/operation.ts";
import { declaredProperty, describeShape, type Property, type Shape } from "../openapi/shapes/shape.ts";
import type { SchemaPosition } from "./schema-position.ts";

/** Maximum number of parameters in a hover text, because some operations have hundreds. */
const mostListed = 30;

/** Returns `undefined` at a position that is not bound to REST. */
export function hoverAt(model: Model, position: SchemaPosition): string | undefined {
  const { type, member, argument, operation: name } = position;
  const operation = name === undefined ? undefined : model.operations.named(name);
  if (operation) return block([...operationLines(model, operation)], operation.summary);
  const field = model.fields.get(`${type}.${member}`);
  if (!field) return undefined;
  if (field.kind === "plain") {
    const property = propertyOf(model, field);
    const typed = property ? [`  REST type: ${restType(model, property.shape)}${required(property)}`] : [];
    return block([...explain(model, [], field.coordinate), ...typed]);
  }
  const fed = argument === undefined ? [] : inputsFedBy(field, argument);
  if (fed.length > 0)
    return block([operationLabel(field.operation), ...fed.map((input) => slotLine(model, input))]);
  return block(
    [...explain(model, [], field.coordinate), ...responseLines(model, field.operation)],
    field.operation.summary,
  );
}

/** Returns the REST parameters that the argument, or a field of its input object, feeds. */
export const inputsFedBy = ({ inputs }: BoundField, argument: string): Input[] =>
  inputs.filter(({ source }) => source.kind === "argument" && source.path[0] === argument);

/** Returns the REST property that a field without `@rest` reads. */
export function propertyOf(model: Model, { type, path }: PlainField): Property | undefined {
  const [backing] = model.backings.get(type) ?? [];
  let shape = backing?.shape;
  let property: Property | undefined;
  for (const step of path) {
    property = shape && declaredProperty(shape, step);
    shape = property?.shape;
  }
  return property;
}

function operationLines(model: Model, operation: RestOperation): string[] {
  const slots = inputSlotsOf(operation).filter(({ isUndeclared }) => !isUndeclared);
  const more = slots.length > mostListed ? [`  and ${slots.length - mostListed} more`] : [];
  return [
    operationLabel(operation),
    ...slots.slice(0, mostListed).map((slot) => slotLine(model, slot)),
    ...more,
    ...responseLines(model, operation),
  ];
}

const responseLines = (model: Model, { successes }: RestOperation): string[] =>
  successes.map(({ status, shape }) => `  ${status}: ${shape ? restType(model, shape) : "no content"}`);

const slotLine = (model: Model, slot: Property & Pick<Input, "in">): string =>
  `  ${slot.in} ${slot.name}: ${restType(model, slot.shape)}${required(slot)}`;

const required = (property: Property): string => (property.required ? ", required" : "");

/** Maximum number of enum values in a type's description. */
const mostValues = 12;

/** Describes a REST type: for example, as `Book`, `array of Book`, `string (uuid) or null`, or `"a" | "b"`. */
export function restType(model: Model, shape: Shape): string {
  const values = shape.values ?? [];
  const listed = values.slice(0, mostValues).map((value) => JSON.stringify(value));
  const bare =
    shape.types.has("array") && shape.items
      ? `array of ${restType(model, shape.items)}`
      : values.length > 0
        ? [...listed, ...(values.length > mostValues ? ["…"] : [])].join(" | ")
        : (componentName(model.document, shape) ?? describeShape(shape));
  return shape.nullable ? `${bare} or null` : bare;
}

const block = (lines: readonly string[], summary?: string): string =>
  ["```text", ...lines, "```", ...(summary === undefined ? [] : ["", summary])].join("\n");

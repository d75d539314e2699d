/**
 * Finds the saved operations that may violate a new REST constraint on requests. An operation is unaffected if the literal values
 * in its text satisfy the constraint.
 */
import {
  astFromValue,
  type FieldNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  TypeInfo,
  type ValueNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { addInputFields, withPossibleTypes } from "../../shared/selected-coordinates.ts";
import { enumValues } from "../bind/enum-values.ts";
import { rejectionReason } from "../bind/inputs/check-constants.ts";
import type { InputPairs } from "../bind/inputs/input-pairs.ts";
import { InputSlots } from "../bind/inputs/input-slots.ts";
import { type ArgumentSource, isNullableInput } from "../bind/inputs/input-source.ts";
import type { BoundField, Model } from "../bind/model.ts";
import { isIntegerText } from "../bind/scalar-rules.ts";
import { inputKey } from "../openapi/operation.ts";
import { isRequiredOfRequest, type Shape } from "../openapi/shapes/shape.ts";
import type { SavedOperation } from "../schema/saved-operations.ts";
import type { Finding } from "./report.ts";

/** `complete`: the request has every parameter and property that REST requires. `allowed`: REST accepts every value in it. */
type Demand = "complete" | "allowed";

/** `undefined`: no literal can satisfy the constraint, so every operation with the coordinate is impacted. */
export function requestConstraint({ rule, direction }: Finding): Demand | undefined {
  if (rule === "input-enum" || rule === "constant-invalid") return "allowed";
  if (rule === "input-nullable") return "complete";
  return direction === "request" ? demands.get(rule) : undefined;
}

const demands = new Map<string, Demand>([
  ["rest-enum-changed", "allowed"],
  ["rest-limit-changed", "allowed"],
  ["rest-required-changed", "complete"],
]);

/**
 * For each coordinate that the operation's requests reach, returns whether they may violate the constraint. Includes arguments
 * and input fields that the operation omits, because the omission may be the violation.
 */
export function violations(
  demand: Demand,
  { schema, pairs, fields }: Model,
  operation: SavedOperation,
  coordinates: readonly string[],
): ReadonlyMap<string, boolean> {
  const values = new SentValues(pairs, operation, new Set(coordinates));
  const info = new TypeInfo(schema);
  const violated = new Map<string, boolean>();
  const enter = (node: FieldNode): void => {
    const parent = info.getParentType();
    for (const { name } of parent ? withPossibleTypes(schema, parent) : []) {
      const field = fields.get(`${name}.${node.name.value}`);
      if (field?.kind !== "bound") continue;
      const own = new Set(demand === "complete" ? [field.coordinate] : []);
      for (const argument of info.getFieldDef()?.args ?? []) {
        own.add(`${field.coordinate}(${argument.name}:)`);
        addInputFields(argument.type, own);
      }
      if (!coordinates.some((each) => own.has(each))) continue;
      const isMet = demand === "complete" ? values.areComplete(field, node) : values.areAllowed(field, node);
      for (const each of own) violated.set(each, !isMet || violated.get(each) === true);
    }
  };
  visit(operation.document, visitWithTypeInfo(info, { Field: enter }));
  return violated;
}

/** The values that one operation sends at the coordinates of a finding. A variable may have any value of its type. */
class SentValues {
  readonly #pairs: InputPairs;
  readonly #coordinates: ReadonlySet<string>;
  /** Names of variables that are never null. */
  readonly #nonNull: ReadonlySet<string>;

  constructor(pairs: InputPairs, { definition }: SavedOperation, coordinates: ReadonlySet<string>) {
    this.#pairs = pairs;
    this.#coordinates = coordinates;
    const nonNull = definition.variableDefinitions?.filter(({ type }) => type.kind === "NonNullType");
    this.#nonNull = new Set(nonNull?.map(({ variable }) => variable.name.value));
  }

  /** Whether the field's call sends every parameter and property that REST requires. */
  areComplete({ operation, inputs, wholeBody }: BoundField, node: FieldNode): boolean {
    const { body } = operation;
    const sources = new Map(inputs.map((input) => [inputKey(input), input.source]));
    const has = (source: ArgumentSource, shape: Shape, required: boolean): boolean => {
      const { value, isInVariable } = valueAt(node, source.path);
      const isPresent = this.#isPresent(isInVariable ? undefined : value, !source.nullable);
      return (isPresent || !required) && this.#hasAll(source.type, shape, value);
    };
    if (wholeBody && body && !has(wholeBody, body.shape, body.required)) return false;
    return new InputSlots(operation).all.every((slot) => {
      if (slot.in === "body" && wholeBody) return true;
      const property = slot.in === "body" ? body?.shape.properties.get(slot.name) : undefined;
      const required = slot.required || (property !== undefined && isRequiredOfRequest(property));
      const source = sources.get(inputKey(slot));
      return source?.kind === "argument"
        ? has(source, slot.shape, required)
        : !required || source !== undefined;
    });
  }

  /** Whether the value is present and not null. Returns `otherwise` for an omitted value or a nullable variable. */
  #isPresent(value: ValueNode | undefined, otherwise: boolean): boolean {
    if (!value) return otherwise;
    return value.kind === "Variable"
      ? otherwise || this.#nonNull.has(value.name.value)
      : value.kind !== "NullValue";
  }

  /** Whether every object in the value has the properties that REST requires. */
  #hasAll(
    given: GraphQLInputType,
    shape: Shape,
    value: ValueNode | undefined,
    enclosing: readonly string[] = [],
  ): boolean {
    const type = getNullableType(given);
    if (!value || value.kind === "NullValue") return true;
    // ends the recursion at an input type that contains itself: a variable's value can nest it without limit
    if (value.kind === "Variable" && enclosing.includes(shape.identity.text)) return true;
    if (isListType(type)) return this.#hasAllItems(type.ofType, shape, value, enclosing);
    if (!isInputObjectType(type)) return true;
    const pair = this.#pairs.of(type, shape);
    return [...pair.shape.properties.values()].every((property) => {
      const field = pair.fields.find(({ name }) => name === property.name)?.field;
      if (!field) return !isRequiredOfRequest(property);
      // a variable's value can omit nullable fields
      const own = value.kind === "Variable" ? undefined : memberOf(value, field.name);
      const isPresent = this.#isPresent(own, !isNullableInput(field));
      const inside = value.kind === "Variable" ? value : own;
      return (
        (isPresent || !isRequiredOfRequest(property)) &&
        this.#hasAll(field.type, property.shape, inside, [...enclosing, shape.identity.text])
      );
    });
  }

  #hasAllItems(
    type: GraphQLInputType,
    { items }: Shape,
    value: ValueNode,
    enclosing: readonly string[],
  ): boolean {
    if (!items) return true;
    const mayBeNull = !isNonNullType(type) && !items.nullable && items.types.size > 0;
    return itemsOf(value).every(
      (item) =>
        !(mayBeNull && (item === value || !this.#isPresent(item, false))) &&
        this.#hasAll(type, items, item, enclosing),
    );
  }

  /** Whether REST accepts the values that the field's call sends at `#coordinates`. */
  areAllowed({ coordinate, operation, inputs, wholeBody, connection }: BoundField, node: FieldNode): boolean {
    const takes = ({ path, type }: ArgumentSource, shape: Shape, byDefault?: unknown): boolean => {
      const isReached = this.#coordinates.has(`${coordinate}(${path[0]}:)`);
      // the value of `after` wraps a cursor of REST, so it is unknown whether REST accepts the cursor
      if (connection && path[0] === "after") return !isReached;
      const { value = astFromValue(byDefault, type) ?? undefined } = valueAt(node, path);
      return this.#takes(type, shape, value, isReached);
    };
    if (wholeBody && operation.body && !takes(wholeBody, operation.body.shape)) return false;
    return inputs.every(
      ({ source, shape, argumentDefault }) =>
        source.kind !== "argument" || takes(source, shape, argumentDefault),
    );
  }

  #takes(given: GraphQLInputType, shape: Shape, value: ValueNode | undefined, isReached: boolean): boolean {
    const type = getNullableType(given);
    if (!value || value.kind === "NullValue") return true;
    if (value.kind === "Variable") {
      const below = new Set<string>();
      addInputFields(type, below);
      return !isReached && ![...below].some((each) => this.#coordinates.has(each));
    }
    if (isInputObjectType(type)) return this.#takesMembers(type, shape, value);
    if (!isListType(type)) return !isReached || this.#takesLeaf(type, shape, value);
    const { items } = shape;
    const list = shape.with({ items: () => undefined });
    const values = itemsOf(value);
    // checks the limits of the list itself, such as `maxItems`; distinct numbers stand for the items, which are checked below
    if (isReached && rejectionReason(list, [...values.keys()]) !== undefined) return false;
    return !items || values.every((item) => this.#takes(type.ofType, items, item, isReached));
  }

  #takesMembers(type: GraphQLInputObjectType, shape: Shape, value: ValueNode): boolean {
    return this.#pairs.of(type, shape).fields.every(({ field, property }) => {
      const isReached = this.#coordinates.has(`${type.name}.${field.name}`);
      if (!property) return !isReached;
      const own = memberOf(value, field.name) ?? astFromValue(field.defaultValue, field.type) ?? undefined;
      return this.#takes(field.type, property.shape, own, isReached);
    });
  }

  #takesLeaf(type: GraphQLLeafType, shape: Shape, value: ValueNode): boolean {
    // objects and lists in custom scalars are not examined, so they count as not accepted
    if (value.kind === "ObjectValue" || value.kind === "ListValue") return false;
    const text =
      value.kind === "EnumValue" && isEnumType(type)
        ? enumValues(this.#pairs.names, type).get(value.value)
        : valueFromAST(value, type);
    return rejectionReason(shape, isIntegerText(type, shape) ? Number(text) : text) === undefined;
  }
}

/** GraphQL coerces a single value to a list (GraphQL §3.11). */
const itemsOf = (value: ValueNode): readonly ValueNode[] =>
  value.kind === "ListValue" ? value.values : [value];

const memberOf = (value: ValueNode, name: string): ValueNode | undefined =>
  value.kind === "ObjectValue" ? value.fields.find((field) => field.name.value === name)?.value : undefined;

/**
 * Returns the value of the argument `name`, or of the member at `path` in the argument's value. If a variable supplies an object
 * on the path, returns it with `isInVariable`.
 */
function valueAt({ arguments: given = [] }: FieldNode, [name, ...path]: readonly string[]) {
  let value = given.find((argument) => argument.name.value === name)?.value;
  for (const step of path) {
    if (value?.kind === "Variable") return { value, isInVariable: true };
    value = value && memberOf(value, step);
  }
  return { value, isInVariable: false };
}

/**
 * Coerces an operation's variables (GraphQL spec §6.1.2) like graphql-js, but at a limited cost: reports at most one error per
 * variable, and shortens long values in errors. But graphql-js continues after an error and prints the whole value in each one.
 */
import {
  GraphQLError,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isSpecifiedScalarType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from "graphql";
import { didYouMean } from "graphql/jsutils/didYouMean.js";
import { suggestionList } from "graphql/jsutils/suggestionList.js";
import { isRounded } from "../../../shared/exact-integers.ts";
import { isRecord } from "../../../shared/json-object.ts";
import { Dictionary, own } from "../../../shared/own.ts";
import { CodedError } from "../../coded-error.ts";
import { valuesPerRequest } from "../../settings/capacity.ts";

const maxErrors = 10;

export type Variables = Readonly<Record<string, unknown>>;

/** Returns the values, or errors with the location of their variable. Throws a `CodedError` for too many values. */
export function coerceVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  given: Variables,
  hidesSuggestions: boolean,
): { coerced: Variables } | { errors: readonly GraphQLError[] } {
  const coercion: Coercion = { left: valuesPerRequest, hidesSuggestions };
  // without a prototype: graphql-js also reads variables that have no value, and one may be named `valueOf`
  const coerced = new Dictionary<unknown>();
  const errors: GraphQLError[] = [];
  for (const definition of definitions) {
    try {
      for (const [name, value] of coerceVariable(coercion, schema, definition, given)) coerced[name] = value;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const name = shortenText(definition.variable.name.value);
      errors.push(new GraphQLError(`Variable "$${name}" ${error.describe(name)}`, { nodes: definition }));
      if (errors.length === maxErrors) break;
    }
  }
  return errors.length > 0 ? { errors } : { coerced };
}

/** Returns the variable's name and value; an empty list if it has no value. */
function coerceVariable(
  coercion: Coercion,
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
  given: Variables,
): [string, unknown][] {
  const name = variable.name.value;
  const type = typeFromAST(schema, typeNode as never) as unknown as GraphQLInputType; // validation has refused output types
  if (!Object.hasOwn(given, name)) {
    if (defaultValue) return [[name, valueFromAST(defaultValue, type)]];
    if (!isNonNullType(type)) return [];
    throw new InputError(`of required type "${type}" was not provided.`);
  }
  const value = own(given, name) ?? null;
  if (value === null && isNonNullType(type))
    throw new InputError(`of non-null type "${type}" must not be null.`);
  return [[name, coerceInput(coercion, type, value, 0)]];
}

// Coerces a variable's value to its type (GraphQL spec §3.4 to §3.12, "Input Coercion") and stops at the first error. The cost
// depends on the size of the value, not on the size of the schema.

/** `left`: how many more values and defaults are allowed. `hidesSuggestions`: errors suggest no names. */
type Coercion = { left: number; readonly hidesSuggestions: boolean };

/** Maximum nesting of input objects, and of lists and objects in a custom scalar. */
const maxNesting = 100;

/** Throws an `InputError`, or a `CodedError` if the input has more than `coercion.left` values. */
function coerceInput(coercion: Coercion, type: GraphQLInputType, value: unknown, nesting: number): unknown {
  if (isNonNullType(type)) {
    if (value === null) throw new InputError(`Expected non-nullable type "${type}" not to be null.`, value);
    return coerceInput(coercion, type.ofType, value, nesting);
  }
  if (value === null) return null;
  if (isListType(type)) {
    if (!Array.isArray(value)) return [coerceInput(coercion, type.ofType, value, nesting)];
    return coerceItems(coercion, type.ofType, value, nesting);
  }
  if (isInputObjectType(type)) return coerceObject(coercion, type, value, nesting);
  return coerceLeaf(coercion, type, value);
}

function spend(coercion: Coercion, values: number): void {
  coercion.left -= values;
  if (coercion.left < 0)
    throw new CodedError("BAD_USER_INPUT", `variables may hold at most ${valuesPerRequest} values`);
}

function coerceItems(
  coercion: Coercion,
  type: GraphQLInputType,
  items: readonly unknown[],
  nesting: number,
): unknown[] {
  spend(coercion, items.length);
  const coerced: unknown[] = [];
  try {
    for (const item of items) coerced.push(coerceInput(coercion, type, item, nesting));
  } catch (error) {
    if (error instanceof InputError) error.path.unshift(coerced.length);
    throw error;
  }
  return coerced;
}

/** Runs `coerce`, and adds `key` to the path of an error. */
function at<Value>(key: string, coerce: () => Value): Value {
  try {
    return coerce();
  } catch (error) {
    if (error instanceof InputError) error.path.unshift(key);
    throw error;
  }
}

type Fields = {
  readonly order: ReadonlyMap<string, number>;
  readonly all: readonly GraphQLInputField[];
  /** The indexes of fields that are required or have a default. */
  readonly always: readonly number[];
};
const fieldsByType = new WeakMap<GraphQLInputObjectType, Fields>();

function fieldsOf(type: GraphQLInputObjectType): Fields {
  const found = fieldsByType.get(type);
  if (found) return found;
  const all = Object.values(type.getFields());
  const always = all.flatMap((field, index) =>
    field.defaultValue !== undefined || isRequiredInputField(field) ? [index] : [],
  );
  const fields = { all, always, order: new Map(all.map(({ name }, index) => [name, index])) };
  fieldsByType.set(type, fields);
  return fields;
}

function coerceObject(
  coercion: Coercion,
  type: GraphQLInputObjectType,
  given: unknown,
  nesting: number,
): Record<string, unknown> {
  if (!isRecord(given)) throw new InputError(`Expected type "${type.name}" to be an object.`, given);
  if (nesting === maxNesting)
    throw new InputError(`Objects may be nested up to ${maxNesting} levels.`, given);
  const { order, all, always } = fieldsOf(type);
  const names = Object.keys(given);
  const indexes = new Set(always);
  for (const name of names) {
    const index = order.get(name);
    if (index !== undefined) indexes.add(index);
  }
  spend(coercion, indexes.size);
  const coerced = [...indexes]
    .sort((left, right) => left - right)
    .map((index): [string, unknown] => {
      const field = all[index] as GraphQLInputField;
      return [field.name, coerceMember(coercion, field, given, nesting + 1)];
    });
  const unknown = names.find((name) => !order.has(name));
  if (unknown !== undefined) throw unknownMember(coercion, type, unknown, given);
  if (type.isOneOf) checkOneOf(type, coerced, given);
  // without a prototype; otherwise an omitted field named `valueOf` would have an inherited value
  const object = new Dictionary<unknown>();
  for (const [name, value] of coerced) object[name] = value;
  return object;
}

function coerceMember(
  coercion: Coercion,
  { name, type, defaultValue }: GraphQLInputField,
  given: Record<string, unknown>,
  nesting: number,
): unknown {
  if (Object.hasOwn(given, name))
    return at(name, () => coerceInput(coercion, type, own(given, name), nesting));
  if (defaultValue === undefined)
    throw new InputError(`Field "${name}" of required type "${type}" was not provided.`, given);
  return defaultValue;
}

function unknownMember(
  { hidesSuggestions }: Coercion,
  type: GraphQLInputObjectType,
  name: string,
  given: unknown,
): InputError {
  const hides = hidesSuggestions || isLong(name);
  const near = hides ? [] : suggestionList(name, Object.keys(type.getFields()));
  return new InputError(
    `Field "${shortenText(name)}" is not defined by type "${type.name}".${didYouMean(near)}`,
    given,
  );
}

function checkOneOf(type: GraphQLInputObjectType, coerced: [string, unknown][], given: unknown): void {
  const [only] = coerced;
  if (!only || coerced.length > 1)
    throw new InputError(`Exactly one key must be specified for OneOf type "${type.name}".`, given);
  const [name, value] = only;
  if (value !== null) return;
  at(name, () => {
    throw new InputError(`Field "${name}" must be non-null.`, null);
  });
}

/** Refuses objects and lists for enums and specified scalars, because graphql-js would print them whole in an error. */
function coerceLeaf({ hidesSuggestions }: Coercion, type: GraphQLLeafType, value: unknown): unknown {
  const expected = `Expected type "${type.name}".`;
  if (typeof value === "object" && (isEnumType(type) || isSpecifiedScalarType(type)))
    throw new InputError(expected, value);
  if (isNestedDeeper(value, maxNesting))
    throw new InputError(`Lists and objects may be nested up to ${maxNesting} levels.`, value);
  if (type.name === "ID" && isRounded(value))
    throw new InputError("An ID beyond 2^53 must be a string: a number was rounded.", value);
  const long = typeof value === "string" && isLong(value);
  let parsed: unknown;
  try {
    parsed = isEnumType(type) ? type.parseValue(value, hidesSuggestions || long) : type.parseValue(value);
  } catch (error) {
    const { message } = error as Error;
    const own = error instanceof GraphQLError ? message : `${expected} ${message}`;
    throw new InputError(long ? expected : own, value);
  }
  if (parsed === undefined) throw new InputError(expected, value);
  return parsed;
}

const isNestedDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isNestedDeeper(member, levels - 1)));

// The error of a refused variable: graphql-js's message with a shortened value.

/** Maximum number of characters of a name or a value in an error. */
const maxQuoted = 60;

const isLong = (text: string): boolean => text.length > maxQuoted;

const shortenText = (text: string): string => (isLong(text) ? `${text.slice(0, maxQuoted)}…` : text);

class InputError {
  readonly reason: string;
  readonly value: string | undefined;
  /** The path from the variable's value to the refused value. Each level prepends its key when the error passes. */
  readonly path: (string | number)[] = [];

  /** If `value` is omitted, `reason` is the complete message. */
  constructor(reason: string, ...value: unknown[]) {
    this.reason = reason;
    this.value = value.length > 0 ? quoted(value[0]) : undefined;
  }

  /** Returns the part of graphql-js's message that follows the variable's name. */
  describe(variable: string): string {
    if (this.value === undefined) return this.reason;
    const path = this.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
    return `got invalid value ${this.value}${path && ` at "${variable}${path}"`}; ${this.reason}`;
  }
}

function quoted(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(shortenText(value));
  if (Array.isArray(value)) return value.length > 0 ? "[…]" : "[]";
  return isRecord(value) ? "{…}" : String(value);
}

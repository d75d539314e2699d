/**
 * Coerces an operation's variables (GraphQL spec §6.1.2) as graphql-js does, at a bounded cost. graphql-js continues after
 * an error and prints the refused value in each error. Here each variable has at most one error, and an error shortens a
 * long value.
 */
import {
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from "graphql";
import { Dictionary, own } from "../../../shared/own.ts";
import { valuesPerRequest } from "../../settings/capacity.ts";
import { type Coercion, coerceInput } from "./coerce-input.ts";
import { InputError, shortenText } from "./input-error.ts";

/** The bound on errors in a response. */
const maxErrors = 10;

export type Variables = Readonly<Record<string, unknown>>;

/** Returns the values or the errors. An error has its variable's location. Throws `CodedError` for too many values. */
export function coerceVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  given: Variables,
  hidesSuggestions: boolean,
): { coerced: Variables } | { errors: readonly GraphQLError[] } {
  const coercion: Coercion = { left: valuesPerRequest, hidesSuggestions };
  // graphql-js looks up any variable in the values, also one that is left out
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

/** The variable's name and value; an empty list for a variable without a value. */
function coerceVariable(
  coercion: Coercion,
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
  given: Variables,
): [string, unknown][] {
  const name = variable.name.value;
  const type = typeFromAST(schema, typeNode as never) as unknown as GraphQLInputType; // validation refuses output types
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

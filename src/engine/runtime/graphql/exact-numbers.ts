/**
 * Refuses a client's numbers that JavaScript cannot represent exactly: REST would get a different integer, or null for a number
 * out of range. An `ID` can represent any integer, and graphql-js checks `Int`.
 */
import {
  type ASTVisitor,
  GraphQLError,
  GraphQLFloat,
  type GraphQLSchema,
  getNamedType,
  isScalarType,
  isSpecifiedScalarType,
  type ValidationRule,
  type ValueNode,
  valueFromASTUntyped,
} from "graphql";
import { dateScalars } from "../../shared/date-scalars.ts";
import { findNumber, isRounded } from "../../shared/exact-integers.ts";

const isInexact = (value: number): boolean => isRounded(value) || !Number.isFinite(value);

/** Makes the custom scalars of a schema reject inexact numbers. The scalars accept any other JSON value. */
export function addNumberCoercions(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isScalarType(type) || isSpecifiedScalarType(type) || dateScalars.has(type.name)) continue;
    const checked = <Value>(value: Value, nodes: ValueNode | undefined): Value => {
      const number = findNumber(value, isInexact);
      if (number === undefined) return value;
      const what = Number.isFinite(number)
        ? "an integer beyond 2^53, which may have been rounded: send it as a string"
        : "a number out of range";
      throw new GraphQLError(`${type.name} cannot represent ${what}.`, { nodes: nodes ?? null });
    };
    type.parseValue = (value) => checked(value, undefined);
    type.parseLiteral = (node, variables) => checked(valueFromASTUntyped(node, variables), node);
  }
}

/** Rejects `Float` literals out of range, which graphql-js would coerce to infinity. */
export const floatRule: ValidationRule = (context): ASTVisitor => {
  const check = (node: { readonly value: string } & ValueNode): void => {
    if (Number.isFinite(Number(node.value)) || getNamedType(context.getInputType()) !== GraphQLFloat) return;
    context.reportError(new GraphQLError("Float cannot represent a number out of range.", { nodes: node }));
  };
  return { FloatValue: check, IntValue: check };
};

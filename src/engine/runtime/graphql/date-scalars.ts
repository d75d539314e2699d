/**
 * The scalars `DateTime` and `Date` (RFC 3339 §5.6). REST's strings are returned unchanged, which preserves fractions of a
 * second and offsets. A value from a client must have the scalar's format.
 */
import { type GraphQLScalarType, type GraphQLSchema, isScalarType, Kind, valueFromASTUntyped } from "graphql";
import { dateScalars } from "../../shared/date-scalars.ts";
import { ajv } from "../../shared/json-schema.ts";
import { describeFormat } from "./errors/argument-descriptions.ts";
import { ContractViolation } from "./errors/field-error.ts";

export function addDateCoercions(schema: GraphQLSchema): void {
  for (const [name, format] of dateScalars) {
    const type = schema.getType(name);
    if (isScalarType(type)) addCoercions(type, format);
  }
}

function addCoercions(type: GraphQLScalarType, format: string): void {
  const hasFormat = ajv.compile<string>({ type: "string", format });
  type.serialize = (value) => {
    if (typeof value === "string") return value;
    throw new ContractViolation(`${type.name} cannot represent the value that REST sent.`);
  };
  type.parseValue = (value) => {
    if (hasFormat(value)) return value;
    throw new Error(`It must be ${describeFormat(format)}.`);
  };
  type.parseLiteral = (node, variables) =>
    type.parseValue(node.kind === Kind.STRING ? node.value : valueFromASTUntyped(node, variables));
}

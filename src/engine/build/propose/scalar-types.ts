/** Chooses the GraphQL scalar or enum for a REST value. */
import { isEnumType } from "graphql";
import { enumValues } from "../bind/enum-values.ts";
import { exceedsInt } from "../bind/scalar-rules.ts";
import { isNumeric, type Shape } from "../openapi/shapes/shape.ts";
import { enumValueDefinition, enumValueName } from "../schema/graphql-names.ts";
import { descriptionLines, uniqueNames } from "./proposed-names.ts";
import { descriptionOf, type TypeDefinitions } from "./type-definitions.ts";

export function scalarType(definitions: TypeDefinitions, shape: Shape, wanted: string): string {
  if (isNumeric(shape) && shape.types.has("number")) return "Float";
  if (shape.types.size !== 1 || shape.types.has("array")) return definitions.json();
  if (shape.values && shape.types.has("string") && shape.values.length > 0)
    return enumType(definitions, shape, wanted);
  if (shape.types.has("integer")) return exceedsInt(shape) ? "Float" : "Int";
  return shape.types.has("boolean") ? "Boolean" : (definitions.date(shape.format) ?? "String");
}

/** Returns an enum type: an existing enum with the same REST values, or else a new one. */
function enumType(definitions: TypeDefinitions, shape: Shape, wanted: string): string {
  const values = (shape.values ?? []).map(String);
  const known = Object.values(definitions.model.schema.getTypeMap()).find((type) => {
    if (!isEnumType(type) || !type.astNode) return false;
    const rest = new Set(enumValues(definitions.model.names, type).values());
    return rest.size === values.length && values.every((value) => rest.has(value));
  });
  if (known) return known.name;
  return definitions.defineEnum(shape, wanted, values, (name) => [
    ...descriptionLines(descriptionOf(shape.node), ""),
    `enum ${name} {`,
    ...uniqueNames(values, enumValueName).map(
      (own, index) => `  ${enumValueDefinition(values[index] ?? "", values, own)}`,
    ),
    "}",
  ]);
}

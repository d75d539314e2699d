/**
 * The schema coordinates that an operation depends on: the fields that it selects, and the arguments, input fields and enum
 * values that it may send. A field of an interface counts as a field of each object type that implements the interface.
 */
import {
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";

/** Returns the coordinates, without those of fields that the schema does not define. */
export function selectedCoordinates(schema: GraphQLSchema, document: DocumentNode): Set<string> {
  const found = new Set<string>();
  const info = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(info, {
      Field() {
        const parent = info.getParentType();
        const field = info.getFieldDef();
        if (!parent || !field) return;
        for (const type of withPossibleTypes(schema, parent)) {
          const coordinate = `${type.name}.${field.name}`;
          found.add(coordinate);
          const { args } = ("getFields" in type && type.getFields()[field.name]) || field;
          // an argument with a default value counts, because its value is sent even if the operation omits the argument
          for (const { name, defaultValue } of args) {
            if (defaultValue !== undefined) found.add(`${coordinate}(${name}:)`);
          }
        }
      },
      Argument() {
        const parent = info.getParentType();
        const field = info.getFieldDef();
        const argument = info.getArgument();
        if (!parent || !field || !argument || info.getDirective()) return;
        for (const { name } of withPossibleTypes(schema, parent))
          found.add(`${name}.${field.name}(${argument.name}:)`);
      },
      ObjectField(node) {
        const parent = getNamedType(info.getParentInputType());
        if (parent) found.add(`${parent.name}.${node.name.value}`);
      },
      Variable() {
        const type = info.getInputType();
        if (type) addInputFields(type, found);
      },
      EnumValue(node) {
        const type = getNamedType(info.getInputType());
        if (type) found.add(`${type.name}.${node.value}`);
      },
    }),
  );
  return found;
}

export const withPossibleTypes = (
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
): readonly GraphQLCompositeType[] =>
  isAbstractType(type) ? [type, ...schema.getPossibleTypes(type)] : [type];

/** Adds all input fields and enum values that a variable of this type may contain. */
export function addInputFields(type: GraphQLInputType, found: Set<string>): void {
  const named = getNamedType(type);
  if (isEnumType(named)) for (const { name } of named.getValues()) found.add(`${named.name}.${name}`);
  if (!isInputObjectType(named)) return;
  for (const field of Object.values(named.getFields())) {
    const coordinate = `${named.name}.${field.name}`;
    if (found.has(coordinate)) continue;
    found.add(coordinate);
    addInputFields(field.type, found);
  }
}

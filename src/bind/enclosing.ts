/** Which types may enclose another in an operation, and whether one always does: a walk over the schema's fields. */
import { type GraphQLField, type GraphQLSchema, getNamedType, isAbstractType, isObjectType } from "graphql";

/** Whether a source may start with the name: it is an object type, and no root. */
export const isEnclosing = (schema: GraphQLSchema, name: string): boolean =>
  !["args", "parent", "argsAbove"].includes(name) &&
  isObjectType(schema.getType(name)) &&
  ![schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].some(
    (root) => root?.name === name,
  );

type Field = GraphQLField<unknown, unknown>;

/**
 * Returns a path of fields from a root to `type` on which no object has the type `enclosing`. `undefined`: there is no
 * such path, so an object of the type `enclosing` stands around every object of `type`. A field may return any member
 * of its union or interface.
 */
export function pathAround(
  schema: GraphQLSchema,
  type: string,
  enclosing: string,
): readonly string[] | undefined {
  return reached(schema, rootsOf(schema), (_, member) => member === enclosing).get(type);
}

/**
 * The fields whose argument `name` may be the nearest one above an object of `type`, and a path from a root to `type` that
 * meets no such argument; without that path, an object of `type` always stands below one of the fields.
 */
export function argumentsAbove(
  schema: GraphQLSchema,
  type: string,
  name: string,
): { fields: readonly { coordinate: string; field: Field }[]; around: readonly string[] | undefined } {
  const takes = ({ args }: Field): boolean => args.some((argument) => argument.name === name);
  const owners = [...reached(schema, rootsOf(schema), () => false).keys()];
  const fields = owners.flatMap((owner) =>
    fieldsOf(schema, owner)
      .filter((field) => takes(field) && reached(schema, membersOf(schema, field), takes).has(type))
      .map((field) => ({ coordinate: `${owner}.${field.name}`, field })),
  );
  return { fields, around: reached(schema, rootsOf(schema), takes).get(type) };
}

/** The object types that fields reach from the types of `start`, each with a path to it. `stops`: not by this field. */
function reached(
  schema: GraphQLSchema,
  start: readonly string[],
  stops: (field: Field, member: string) => boolean,
): Map<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>(start.map((name) => [name, []]));
  for (const [name, path] of paths)
    for (const field of fieldsOf(schema, name))
      for (const member of membersOf(schema, field))
        if (!paths.has(member) && !stops(field, member))
          paths.set(member, [...path, `${name}.${field.name}`]);
  return paths;
}

const rootsOf = (schema: GraphQLSchema): string[] =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((root) => root?.name ?? []);

const fieldsOf = (schema: GraphQLSchema, name: string): readonly Field[] => {
  const type = schema.getType(name);
  return isObjectType(type) ? Object.values(type.getFields()) : [];
};

/** The object types that the field may return: any member of its union or interface. */
function membersOf(schema: GraphQLSchema, { type }: Field): string[] {
  const named = getNamedType(type);
  const members = isAbstractType(named) ? schema.getPossibleTypes(named) : [named];
  return members.filter(isObjectType).map(({ name }) => name);
}

/** Which types may enclose another in an operation, and whether one always does: a walk over the schema's fields. */
import { type GraphQLSchema, getNamedType, isAbstractType, isObjectType } from "graphql";

/** Whether a source may start with the name: it is an object type, and no root. */
export const isEnclosing = (schema: GraphQLSchema, name: string): boolean =>
  !["args", "parent"].includes(name) &&
  isObjectType(schema.getType(name)) &&
  ![schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].some(
    (root) => root?.name === name,
  );

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
  const paths = new Map<string, readonly string[]>();
  for (const root of [schema.getQueryType(), schema.getMutationType()]) if (root) paths.set(root.name, []);
  for (const [name, path] of paths) {
    if (name === type) return path;
    const owner = schema.getType(name);
    for (const field of isObjectType(owner) ? Object.values(owner.getFields()) : []) {
      const named = getNamedType(field.type);
      const members = isAbstractType(named) ? schema.getPossibleTypes(named) : [named];
      for (const member of members.filter(isObjectType)) {
        if (member.name !== enclosing && !paths.has(member.name))
          paths.set(member.name, [...path, `${name}.${field.name}`]);
      }
    }
  }
  return undefined;
}

/**
 * Answers two questions about all operations that a schema allows: is an object of one type always inside an object of another
 * type, and does a field above an object always have a certain argument?
 */
import { type GraphQLField, type GraphQLSchema, isObjectType } from "graphql";
import { boundRoots, fieldsOf, objectTypesOf } from "../schema/object-types.ts";

/** Whether a source may begin with this name, such as `Account` in `from: "Account.id"`: object types, except root types. */
export const isEnclosingType = (schema: GraphQLSchema, name: string): boolean =>
  !["args", "parent", "argsAbove"].includes(name) &&
  isObjectType(schema.getType(name)) &&
  ![schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].some(
    (root) => root?.name === name,
  );

type Field = GraphQLField<unknown, unknown>;

/**
 * Finds a path of fields from a root type to `type` on which no object has the type `enclosing`. Without such a path, every
 * object of `type` is nested in one of type `enclosing`, and the result is `undefined`. A field of an abstract type may return
 * any of its object types.
 */
export function findPathOutside(
  schema: GraphQLSchema,
  type: string,
  enclosing: string,
): readonly string[] | undefined {
  return reached(schema, rootsOf(schema), (_, member) => member === enclosing).get(type);
}

/**
 * Finds where `argsAbove.<name>` of an object of `type` may come from. Returns `fields`, which have this argument and can contain
 * such an object, and `around`, a path of fields from a root type to `type` without such an argument, if there is one.
 */
export function argumentsAbove(schema: GraphQLSchema, type: string, name: string) {
  const argumentOf = ({ args }: Field) => args.find((argument) => argument.name === name);
  const takes = (field: Field): boolean => argumentOf(field) !== undefined;
  const owners = [...reached(schema, rootsOf(schema), () => false).keys()];
  const fields = owners.flatMap((owner) =>
    fieldsOf(schema, owner).flatMap((field) => {
      const argument = argumentOf(field);
      const isAbove = argument && reached(schema, membersOf(schema, field), takes).has(type);
      return isAbove ? [{ coordinate: `${owner}.${field.name}`, field, argument }] : [];
    }),
  );
  return { fields, around: reached(schema, rootsOf(schema), takes).get(type) };
}

/**
 * The object types reachable from `start`, each with the fields that lead to it. The walk does not follow a field for which
 * `stops` returns true.
 */
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

const rootsOf = (schema: GraphQLSchema): string[] => boundRoots(schema).map(({ name }) => name);

const membersOf = (schema: GraphQLSchema, { type }: Field): string[] =>
  objectTypesOf(schema, type).map(({ name }) => name);

/**
 * Determines, for every operation that a schema allows, whether objects of one type are always inside an object of another
 * type, and whether a field above them always has a certain argument.
 */
import { type GraphQLField, type GraphQLSchema, isObjectType } from "graphql";
import { boundRoots, fieldsOf, objectTypesOf } from "../schema/object-types.ts";

/** Whether a source may start with this name: the name of an object type that is not a root type. */
export const isEnclosingType = (schema: GraphQLSchema, name: string): boolean =>
  !["args", "parent", "argsAbove"].includes(name) &&
  isObjectType(schema.getType(name)) &&
  ![schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].some(
    (root) => root?.name === name,
  );

type Field = GraphQLField<unknown, unknown>;

/**
 * Finds a counterexample: a path of fields from a root to `type` that passes no object of type `enclosing`. `undefined` if an
 * object of type `enclosing` is always around it. A field may return any member of its union or interface.
 */
export function findPathOutside(
  schema: GraphQLSchema,
  type: string,
  enclosing: string,
): readonly string[] | undefined {
  return reached(schema, rootsOf(schema), (_, member) => member === enclosing).get(type);
}

/**
 * Finds the fields above an object of `type` from which `argsAbove.<name>` may come. `fields`: the fields with this argument.
 * `around`: a path from a root to `type` that passes none of these fields; `undefined` if every path passes one.
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

/** The object types reachable from `start`, each with its path. Paths do not pass through fields for which `stops` is true. */
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

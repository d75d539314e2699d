/** Finds out whether all paths to an object type contain a given other type, or a field with a given argument. */
import { type GraphQLField, type GraphQLSchema, isObjectType } from "graphql";
import { boundRoots, fieldsOf, objectTypesOf } from "../schema/object-types.ts";

/** Whether `name` is an object type that a source may start with, such as `Account` in `from: "Account.id"`. */
export const isEnclosingType = (schema: GraphQLSchema, name: string): boolean =>
  !["args", "parent", "argsAbove"].includes(name) &&
  isObjectType(schema.getType(name)) &&
  ![schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].some(
    (root) => root?.name === name,
  );

type Field = GraphQLField<unknown, unknown>;

/** Returns the fields on a path from a root type to `type` that avoids `enclosing`; `undefined` if every path contains it. */
export function findPathOutside(
  schema: GraphQLSchema,
  type: string,
  enclosing: string,
): readonly string[] | undefined {
  return reached(schema, rootsOf(schema), (_, member) => member === enclosing).get(type);
}

/**
 * Finds the fields above `type` that have an argument `name`, the source of `argsAbove.<name>`. `around`: the fields on a path to
 * `type`, if there is one, on which no field has the argument.
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

/** Reachable object type → the fields on a path from `start` to it. Does not follow fields for which `stops` returns true. */
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

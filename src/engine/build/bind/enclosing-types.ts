/**
 * Finds out whether, in every possible GraphQL operation, an object of one type is nested in an object of another type, or below
 * a field with a certain argument.
 */
import { type GraphQLField, type GraphQLSchema, isObjectType } from "graphql";
import { boundRoots, fieldsOf, objectTypesOf } from "../schema/object-types.ts";

/** Whether a source may start with this type, such as `Account` in `from: "Account.id"`: any object type except root types. */
export const isEnclosingType = (schema: GraphQLSchema, name: string): boolean =>
  !["args", "parent", "argsAbove"].includes(name) &&
  isObjectType(schema.getType(name)) &&
  ![schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].some(
    (root) => root?.name === name,
  );

type Field = GraphQLField<unknown, unknown>;

/**
 * Returns a path of fields from a root type to `type` that does not lead through `enclosing`; `undefined` if every object of
 * `type` is nested in one of type `enclosing`.
 */
export function findPathOutside(
  schema: GraphQLSchema,
  type: string,
  enclosing: string,
): readonly string[] | undefined {
  return reached(schema, rootsOf(schema), (_, member) => member === enclosing).get(type);
}

/**
 * Finds the fields from which `argsAbove.<name>` of an object of `type` may come. `fields`: those with this argument that can
 * contain the object. `around`: a path of fields from a root type to `type` without the argument, if there is one.
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
 * Returns the object types that are reachable from `start`, each with a path of fields to it. Does not follow fields for which
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

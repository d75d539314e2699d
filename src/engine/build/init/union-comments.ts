/**
 * Adds comments above unions. A comment lists the fields that have different types in the union's members, such as `ID!` and
 * `ID`. Queries must alias these fields (GraphQL §5.3.2, Field Selection Merging).
 */
import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from "graphql";

/** `schema` is built from `sdl`. */
export function withUnionComments(sdl: string, schema: GraphQLSchema): string {
  return Object.values(schema.getTypeMap()).reduce((text, union) => {
    if (!isUnionType(union)) return text;
    const lines = conflictLines(union.getTypes());
    if (lines.length === 0) return text;
    return text.replace(new RegExp(`^(?=union ${union.name} =)`, "m"), () =>
      [...head, ...lines, ""].join("\n"),
    );
  }, sdl);
}

const head = [
  "# One query can select these fields of several members only with aliases. To fix this, give them the same type:",
  "# where only ! differs, remove it, or require the property in the overlay.",
];

/** A line for each conflicting field, such as `#   id: ID! (A, C), ID (B)`. */
function conflictLines(members: readonly GraphQLObjectType[]): string[] {
  const found = new Map<string, Map<string, Set<string>>>();
  for (const [index, one] of members.entries())
    for (const other of members.slice(index + 1))
      for (const { path, types } of conflicts(one, other, [], new Set()))
        for (const [place, type] of [
          [one, types[0]],
          [other, types[1]],
        ] as const) {
          const named = found.get(path) ?? new Map<string, Set<string>>();
          found.set(path, named.set(type, (named.get(type) ?? new Set()).add(place.name)));
        }
  return [...found].map(
    ([path, types]) =>
      `#   ${path}: ${[...types].map(([type, places]) => `${type} (${[...places].join(", ")})`).join(", ")}`,
  );
}

type Conflict = { readonly path: string; readonly types: readonly [string, string] };

/**
 * The fields, at any depth, with conflicting types in `one` and `other`. `compared` contains the pairs of types compared so far,
 * so that the recursion ends.
 */
function conflicts(
  one: GraphQLObjectType,
  other: GraphQLObjectType,
  above: readonly string[],
  compared: Set<string>,
): Conflict[] {
  const pair = `${one.name} ${other.name}`;
  if (one === other || compared.has(pair)) return [];
  compared.add(pair);
  const others = other.getFields();
  return Object.values(one.getFields()).flatMap(({ name, type }): Conflict[] => {
    const field = Object.hasOwn(others, name) ? others[name] : undefined;
    if (!field) return [];
    const path = [...above, name];
    if (haveConflict(type, field.type))
      return [{ path: path.join("."), types: [String(type), String(field.type)] }];
    const own = getNamedType(type);
    const its = getNamedType(field.type);
    return isObjectType(own) && isObjectType(its) ? conflicts(own, its, path, compared) : [];
  });
}

/**
 * Whether two field types conflict, as in SameResponseShape (GraphQL §5.3.2): lists and non-null must agree, and leaf types
 * must be equal.
 */
function haveConflict(one: GraphQLOutputType, other: GraphQLOutputType): boolean {
  if (isNonNullType(one) !== isNonNullType(other)) return true;
  const own = getNullableType(one);
  const its = getNullableType(other);
  if (isListType(own) && isListType(its)) return haveConflict(own.ofType, its.ofType);
  return isListType(own) !== isListType(its) || ((isLeafType(own) || isLeafType(its)) && own !== its);
}

/**
 * Counts selections with fragments expanded. Each fragment is visited only once, but its counts are added for each spread. The
 * time therefore grows with the length of the document, not with its size after expansion.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { callsRest } from "../../rest/property.ts";

export type SelectionCounts = {
  readonly depth: number;
  /** Levels of nested selection sets, including those of fragments. */
  readonly nesting: number;
  readonly aliases: number;
  /** Characters of the longest alias. A response repeats the alias for each item of a list. */
  readonly aliasLength: number;
  /** Number of fields at the first level. */
  readonly fields: number;
  readonly directives: number;
  readonly bound: number;
  /** Number of `__schema` and `__type` fields. */
  readonly introspection: number;
};

export type SelectionWalk = {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly counted: Map<string, SelectionCounts | undefined>;
  /** Names of fragments that spread themselves. */
  readonly cyclic: Set<string>;
};

const none: SelectionCounts = {
  depth: 0,
  nesting: 0,
  aliases: 0,
  aliasLength: 0,
  fields: 0,
  directives: 0,
  bound: 0,
  introspection: 0,
};

export function countSelections(
  walk: SelectionWalk,
  { selections }: SelectionSetNode,
  type?: GraphQLNamedType,
): SelectionCounts {
  const total = { ...none };
  for (const selection of selections) {
    const counts = countSelection(walk, selection, type);
    total.depth = Math.max(total.depth, counts.depth);
    total.nesting = Math.max(total.nesting, counts.nesting + 1);
    total.aliases += counts.aliases;
    total.aliasLength = Math.max(total.aliasLength, counts.aliasLength);
    total.fields += counts.fields;
    total.directives += counts.directives + (selection.directives?.length ?? 0);
    total.bound += counts.bound;
    total.introspection += counts.introspection;
  }
  return total;
}

function countSelection(
  walk: SelectionWalk,
  selection: SelectionNode,
  type: GraphQLNamedType | undefined,
): SelectionCounts {
  if (selection.kind === Kind.FIELD) return countField(walk, selection, type);
  if (selection.kind === Kind.FRAGMENT_SPREAD) return countFragment(walk, selection.name.value);
  const { selectionSet, typeCondition } = selection;
  return countSelections(walk, selectionSet, typeNamed(walk, typeCondition?.name.value) ?? type);
}

function countField(
  walk: SelectionWalk,
  field: FieldNode,
  type: GraphQLNamedType | undefined,
): SelectionCounts {
  const name = field.name.value;
  const definition = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  const below = field.selectionSet
    ? countSelections(walk, field.selectionSet, definition && getNamedType(definition.type))
    : none;
  const isIntrospection = name === "__schema" || name === "__type"; // counted as one level, because graphql-js limits its depth
  return {
    ...below,
    depth: isIntrospection ? 1 : below.depth + 1,
    aliases: below.aliases + (field.alias ? 1 : 0),
    aliasLength: Math.max(below.aliasLength, field.alias?.value.length ?? 0),
    fields: 1,
    bound: below.bound + (isBound(walk.schema, type, name) ? 1 : 0),
    introspection: isIntrospection ? 1 : 0,
  };
}

/** Whether the field calls REST (for a field of an interface: whether it does in any implementing type). */
function isBound(schema: GraphQLSchema, type: GraphQLNamedType | undefined, name: string): boolean {
  if (type && isIntrospectionType(type)) return false;
  if (isInterfaceType(type))
    return schema.getPossibleTypes(type).some((member) => isBound(schema, member, name));
  const resolve = isObjectType(type) ? type.getFields()[name]?.resolve : undefined;
  return resolve !== undefined && callsRest(resolve);
}

export function countFragment(walk: SelectionWalk, name: string): SelectionCounts {
  const fragment = walk.fragments.get(name);
  if (!fragment) return none;
  if (walk.counted.has(name)) {
    const counts = walk.counted.get(name);
    if (!counts) walk.cyclic.add(name);
    return counts ?? none;
  }
  walk.counted.set(name, undefined);
  const type = typeNamed(walk, fragment.typeCondition.name.value);
  const counts = countSelections(walk, fragment.selectionSet, type);
  walk.counted.set(name, counts);
  return counts;
}

const typeNamed = ({ schema }: SelectionWalk, name: string | undefined): GraphQLNamedType | undefined =>
  name === undefined ? undefined : schema.getType(name);

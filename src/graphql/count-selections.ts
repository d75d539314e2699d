/**
 * How much a selection asks for, fragments unfolded. Each fragment is counted once and added as often as it is spread,
 * so a small document that unfolds to a huge one costs no more than what is written.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";

export type Counts = {
  /** Fields below each other. */
  readonly depth: number;
  /** Selections below each other, of fragments too. */
  readonly nesting: number;
  readonly aliases: number;
  /** Characters of the longest alias, which an answer repeats for each item of a list. */
  readonly aliasLength: number;
  /** Fields of the first level alone. */
  readonly fields: number;
  readonly directives: number;
  /** Fields bound to a REST operation. */
  readonly bound: number;
  /** Fields that ask for the schema. */
  readonly introspection: number;
};

export type Walk = {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly counted: Map<string, Counts | undefined>;
  /** Fragments that are spread within themselves. */
  readonly cyclic: Set<string>;
};

const none: Counts = {
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
  walk: Walk,
  { selections }: SelectionSetNode,
  type?: GraphQLNamedType,
): Counts {
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

function countSelection(walk: Walk, selection: SelectionNode, type: GraphQLNamedType | undefined): Counts {
  if (selection.kind === Kind.FIELD) return countField(walk, selection, type);
  if (selection.kind === Kind.FRAGMENT_SPREAD) return countFragment(walk, selection.name.value);
  const { selectionSet, typeCondition } = selection;
  return countSelections(walk, selectionSet, typeNamed(walk, typeCondition?.name.value) ?? type);
}

function countField(walk: Walk, field: FieldNode, type: GraphQLNamedType | undefined): Counts {
  const name = field.name.value;
  const definition = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  const below = field.selectionSet
    ? countSelections(walk, field.selectionSet, definition && getNamedType(definition.type))
    : none;
  const isIntrospection = name === "__schema" || name === "__type"; // graphql-js bounds its depth itself
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

/** A field of an interface counts when any type of it binds that field. */
function isBound(schema: GraphQLSchema, type: GraphQLNamedType | undefined, name: string): boolean {
  if (isInterfaceType(type))
    return schema.getPossibleTypes(type).some((member) => isBound(schema, member, name));
  const resolve = isObjectType(type) ? type.getFields()[name]?.resolve : undefined;
  return resolve !== undefined && !("property" in resolve) && !("itself" in resolve);
}

export function countFragment(walk: Walk, name: string): Counts {
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

const typeNamed = ({ schema }: Walk, name: string | undefined): GraphQLNamedType | undefined =>
  name === undefined ? undefined : schema.getType(name);

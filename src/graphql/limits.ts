/**
 * What an operation may ask for, counted before it runs: depth, aliases, root fields, directives, bound fields. One
 * walk with each fragment counted once, so that a small document that unfolds to a huge one is refused as cheaply.
 */
import {
  type ASTVisitor,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from "graphql";
import type { Environment } from "../config.ts";

type Counts = { depth: number; aliases: number; fields: number; directives: number; bound: number };

const none: Counts = { depth: 0, aliases: 0, fields: 0, directives: 0, bound: 0 };

type Walk = {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly counted: Map<string, Counts | undefined>;
};

const limits = [
  ["MAX_DEPTH", "depth", "depth"],
  ["MAX_ALIASES", "aliases", "aliases"],
  ["MAX_ROOT_FIELDS", "fields", "root fields"],
  ["MAX_DIRECTIVES", "directives", "directives"],
  ["MAX_BOUND_FIELDS", "bound", "fields bound to REST operations"],
] as const;

/** A validation rule; its errors carry `LIMIT_EXCEEDED` with the limit's environment variable and value. */
export const limitRule =
  (env: Environment): ValidationRule =>
  (context): ASTVisitor => ({
    Document(document) {
      const fragments = new Map(
        document.definitions.flatMap((node) =>
          node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
        ),
      );
      const walk: Walk = { schema: context.getSchema(), fragments, counted: new Map() };
      for (const node of document.definitions)
        if (node.kind === Kind.OPERATION_DEFINITION) checkOperation(context, env, walk, node);
    },
  });

function checkOperation(
  context: ValidationContext,
  env: Environment,
  walk: Walk,
  operation: OperationDefinitionNode,
): void {
  const type = walk.schema.getRootType(operation.operation);
  const counts = countSelections(walk, operation.selectionSet, type ?? undefined);
  const all = { ...counts, directives: counts.directives + (operation.directives?.length ?? 0) };
  for (const [limit, count, what] of limits) {
    const value = env[limit];
    if (all[count] <= value) continue;
    const extensions = { code: "LIMIT_EXCEEDED", limit, value };
    context.reportError(
      new GraphQLError(`an operation may have at most ${value} ${what} (${limit})`, {
        nodes: operation,
        extensions,
      }),
    );
  }
}

/** `fields` counts this level alone; all else is summed over what the selection unfolds to. */
function countSelections(
  walk: Walk,
  { selections }: SelectionSetNode,
  type: GraphQLNamedType | undefined,
): Counts {
  const total = { ...none };
  for (const selection of selections) {
    total.directives += selection.directives?.length ?? 0;
    const counts =
      selection.kind === Kind.FIELD
        ? countField(walk, selection, type)
        : selection.kind === Kind.INLINE_FRAGMENT
          ? countSelections(
              walk,
              selection.selectionSet,
              typeNamed(walk, selection.typeCondition?.name.value) ?? type,
            )
          : countFragment(walk, selection.name.value);
    total.depth = Math.max(total.depth, counts.depth);
    for (const key of ["aliases", "fields", "directives", "bound"] as const) total[key] += counts[key];
  }
  return total;
}

function countField(
  walk: Walk,
  field: { name: { value: string }; alias?: unknown; selectionSet?: SelectionSetNode | undefined },
  type: GraphQLNamedType | undefined,
): Counts {
  const name = field.name.value;
  const definition = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
  const below = field.selectionSet
    ? countSelections(walk, field.selectionSet, definition && getNamedType(definition.type))
    : none;
  const isIntrospection = name === "__schema" || name === "__type"; // graphql-js bounds its depth itself
  return {
    depth: isIntrospection ? 1 : below.depth + 1,
    aliases: below.aliases + (field.alias ? 1 : 0),
    fields: 1,
    directives: below.directives,
    bound: below.bound + (definition && isBound(definition.resolve) ? 1 : 0),
  };
}

const isBound = (resolve: unknown): boolean =>
  typeof resolve === "function" && !("property" in resolve) && !("itself" in resolve);

/** A cycle counts as nothing here: it is another rule's error. */
function countFragment(walk: Walk, name: string): Counts {
  if (walk.counted.has(name)) return walk.counted.get(name) ?? none;
  const fragment = walk.fragments.get(name);
  if (!fragment) return none;
  walk.counted.set(name, undefined);
  const counts = countSelections(
    walk,
    fragment.selectionSet,
    typeNamed(walk, fragment.typeCondition.name.value),
  );
  walk.counted.set(name, counts);
  return counts;
}

const typeNamed = ({ schema }: Walk, name: string | undefined): GraphQLNamedType | undefined =>
  name === undefined ? undefined : schema.getType(name);

/** Collects the fields of selection sets for one object type (GraphQL spec §6.3.2), with `@defer` as in graphql-js 17. */
import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { deferDirectiveOf } from "../../../shared/defer.ts";
import { own } from "../../../shared/own.ts";
import type { Variables } from "../variables/coerce-variables.ts";
import type { DeferUsage } from "./plan.ts";

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** A field node, and the innermost `@defer` around it. */
export type FieldDetails = { readonly node: FieldNode; readonly usage: DeferUsage | undefined };

export type GroupedFields = ReadonlyMap<string, readonly FieldDetails[]>;

export type Collecting = {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly variables: Variables;
  /** If false, `@defer` is ignored. */
  readonly defers: boolean;
};

type Found = {
  readonly type: GraphQLObjectType;
  readonly groups: Map<string, FieldDetails[]>;
  /** The `@defer` directives in the collected selection sets, but not below fields. */
  readonly usages: DeferUsage[];
  /** For each fragment, the `@defer` directives around its spreads; `undefined` for a spread without one. */
  readonly visited: Map<string, Set<DirectiveNode | undefined>>;
};

export type Collected = { readonly fields: GroupedFields; readonly usages: readonly DeferUsage[] };

/** Throws a `GraphQLError` if the condition of a directive is null. */
export function collectFields(
  collecting: Collecting,
  type: GraphQLObjectType,
  sets: readonly { readonly selectionSet: SelectionSetNode; readonly usage: DeferUsage | undefined }[],
): Collected {
  const found: Found = { type, groups: new Map(), usages: [], visited: new Map() };
  for (const { selectionSet, usage } of sets) collect(collecting, found, selectionSet, usage);
  return { fields: found.groups, usages: found.usages };
}

function collect(
  collecting: Collecting,
  found: Found,
  { selections }: SelectionSetNode,
  usage: DeferUsage | undefined,
): void {
  for (const selection of selections) {
    if (isVisitedSpread(collecting, found, selection) || !isIncluded(collecting, selection)) continue;
    if (selection.kind === Kind.FIELD) {
      const key = responseKey(selection);
      const group = found.groups.get(key);
      const details = { node: selection, usage };
      if (group) group.push(details);
      else found.groups.set(key, [details]);
      continue;
    }
    const spread = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : undefined;
    if (spread !== undefined && !collecting.defers) found.visited.set(spread, new Set());
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : own(collecting.fragments, selection.name.value);
    if (!fragment || !applies(collecting, fragment.typeCondition, found.type)) continue;
    const introduced = usageOf(collecting, selection, usage);
    const within = introduced ?? usage;
    if (spread !== undefined && collecting.defers && isVisited(found, spread, within)) continue;
    if (introduced) found.usages.push(introduced);
    collect(collecting, found, fragment.selectionSet, within);
  }
}

/**
 * Whether the selection repeats the spread of a fragment. Like graphql-js 16, this code skips such a spread even if the
 * fragment's type condition did not apply. If `@defer` has an effect, `isVisited` decides instead.
 */
const isVisitedSpread = ({ defers }: Collecting, { visited }: Found, selection: SelectionNode): boolean =>
  !defers && selection.kind === Kind.FRAGMENT_SPREAD && visited.has(selection.name.value);

/** Whether the fragment's fields were already collected, either without `@defer` or for the same `@defer` directive. */
function isVisited({ visited }: Found, name: string, usage: DeferUsage | undefined): boolean {
  const directives = visited.get(name) ?? new Set();
  visited.set(name, directives);
  if (directives.has(undefined) || directives.has(usage?.directive)) return true;
  directives.add(usage?.directive);
  return false;
}

function usageOf(
  { schema, variables, defers }: Collecting,
  selection: SelectionNode,
  parent: DeferUsage | undefined,
): DeferUsage | undefined {
  const directive = defers ? deferDirectiveOf(selection) : undefined;
  const definition = directive && schema.getDirective(directive.name.value);
  const values = definition && getDirectiveValues(definition, selection, variables);
  if (!directive || !values || values.if === false) return undefined;
  return { label: typeof values.label === "string" ? values.label : undefined, directive, parent };
}

const isIncluded = ({ variables }: Collecting, selection: SelectionNode): boolean =>
  getDirectiveValues(GraphQLSkipDirective, selection, variables)?.if !== true &&
  getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.if !== false;

function applies(
  { schema }: Collecting,
  condition: NamedTypeNode | undefined,
  type: GraphQLObjectType,
): boolean {
  if (!condition) return true;
  const named = schema.getType(condition.name.value);
  return named === type || (isAbstractType(named) && schema.isSubType(named, type));
}

/** Returns the alias of the field, or else its name (GraphQL spec §2.7). */
export const responseKey = ({ alias, name }: FieldNode): string => alias?.value ?? name.value;

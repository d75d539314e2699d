/**
 * How many REST calls an operation makes: at worst, when every list is as long as REST allows, and typically, when a
 * list that nothing bounds holds ten objects. What `explain`, the manifest and impact print; nothing is sent.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from "graphql";
import { assumedLength, type Cost, pageLength, times } from "./list-length.ts";
import type { BoundField, Model } from "./model.ts";
import type { SavedOperation } from "./saved-operations.ts";

/** One bound field of an operation: where it stands, how many parents it has, and how many calls that makes. */
export type PlannedCall = {
  /** Response names from the root; `[]` after a list. */
  readonly path: string;
  readonly field: BoundField;
  readonly parents: Cost;
  readonly calls: Cost;
};

export const callCost = (model: Model, operation: SavedOperation): Cost =>
  planOf(model, operation).reduce<Cost>(
    (sum, { calls }) => ({ typical: sum.typical + calls.typical, worst: sum.worst + calls.worst }),
    { typical: 0, worst: 0 },
  );

/** Every call of a valid operation, in the order of its selections. */
export function planOf(model: Model, { definition, document }: SavedOperation): PlannedCall[] {
  const planner = new Planner(
    model,
    document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION),
  );
  const root = model.schema.getRootType(definition.operation);
  const one = { typical: 1, worst: 1 };
  if (root) planner.visitType(root, [definition.selectionSet], { path: "", parents: one, page: undefined });
  return planner.plan;
}

/** Where the walk stands: how many objects stand side by side, and how long the next list may be. */
type Spot = { readonly path: string; readonly parents: Cost; readonly page: Cost | undefined };

class Planner {
  readonly plan: PlannedCall[] = [];
  readonly #model: Model;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(model: Model, fragments: readonly FragmentDefinitionNode[]) {
    this.#model = model;
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  }

  visitType(type: GraphQLObjectType, sets: readonly SelectionSetNode[], spot: Spot): void {
    const fields = new Map<string, FieldNode[]>();
    for (const set of sets) this.#collect(type, set, fields);
    for (const [name, nodes] of fields) {
      this.#visitField(type, nodes, { ...spot, path: spot.path ? `${spot.path}.${name}` : name });
    }
  }

  #visitField(type: GraphQLObjectType, nodes: readonly FieldNode[], { path, parents, page }: Spot): void {
    const [node] = nodes;
    const definition = node && type.getFields()[node.name.value];
    const field = node && this.#model.fields.get(`${type.name}.${node.name.value}`);
    if (!definition || !field) return;
    const bound = field.kind === "bound" ? field : undefined;
    if (bound) this.plan.push({ path, field: bound, parents, calls: callsOf(bound, parents) });
    const named = getNamedType(definition.type);
    if (!isCompositeType(named)) return;
    const next = bound ? pageLength(bound, node) : page;
    const isList = isListType(getNullableType(definition.type));
    const below: Spot = isList
      ? { path: `${path}[]`, parents: times(parents, next ?? assumedLength), page: undefined }
      : { path, parents, page: next };
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const objects = isAbstractType(named) ? this.#model.schema.getPossibleTypes(named) : [named];
    for (const object of objects) if (isObjectType(object)) this.visitType(object, sets, below);
  }

  #collect(type: GraphQLObjectType, set: SelectionSetNode, fields: Map<string, FieldNode[]>): void {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.alias?.value ?? selection.name.value;
        fields.set(name, [...(fields.get(name) ?? []), selection]);
        continue;
      }
      const spread =
        selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
      const condition = spread?.typeCondition?.name.value;
      if (spread && (condition === undefined || this.#applies(condition, type)))
        this.#collect(type, spread.selectionSet, fields);
    }
  }

  #applies(condition: string, type: GraphQLObjectType): boolean {
    const named = this.#model.schema.getType(condition);
    return named === type || (isAbstractType(named) && this.#model.schema.isSubType(named, type));
  }
}

/** A call that takes nothing from its parent is the same for all of them, and identical reads are one call. */
function callsOf({ batch, inputs }: BoundField, parents: Cost): Cost {
  if (!batch)
    return inputs.some(({ source }) => source.kind === "parent") ? parents : { typical: 1, worst: 1 };
  const keys = batch.mode === "each" ? times(parents, assumedLength) : parents;
  return { typical: Math.ceil(keys.typical / batch.size), worst: Math.ceil(keys.worst / batch.size) };
}

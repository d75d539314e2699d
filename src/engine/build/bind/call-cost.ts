/**
 * Estimates how many REST calls a GraphQL operation makes. The worst case assumes the maximum length of each list. The typical
 * case assumes ten items for a list of unknown length.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLObjectType,
  getNullableType,
  type InlineFragmentNode,
  isAbstractType,
  isListType,
  Kind,
  type SelectionSetNode,
} from "graphql";
import { deferDirectiveOf } from "../../shared/defer.ts";
import { isSafe, type RestOperation } from "../openapi/operation.ts";
import { objectTypesOf } from "../schema/object-types.ts";
import type { SavedOperation } from "../schema/saved-operations.ts";
import { enclosingTypes } from "./inputs/input-source.ts";
import { assumedLength, countText, type Estimate, multiplyEstimates, pageLength } from "./list-length.ts";
import type { BoundField, Model } from "./model.ts";

type PlannedCall = {
  /** For example `books[].author`. */
  readonly path: string;
  readonly field: BoundField;
  readonly parents: Estimate;
  readonly calls: Estimate;
  /** Path of an earlier field that makes the identical call, which a query sends only once. */
  readonly sharedWith?: string;
  /** The `@defer` fragments that contain the field, outermost first. */
  readonly deferredIn: Deferred;
};

/** Labels of `@defer` fragments, or `at line 12` for a fragment without a label. */
type Deferred = readonly string[];
type DeferredNode<Node> = { readonly node: Node; readonly deferredIn: Deferred };

/** Returns `in the deferred part a > b`, or `undefined` for a field outside `@defer`. */
export const describePart = (deferredIn: Deferred): string | undefined =>
  deferredIn.length > 0 ? `in the deferred part ${deferredIn.join(" > ")}` : undefined;

export const callCost = (model: Model, operation: SavedOperation): Estimate =>
  listCalls(model, operation).reduce<Estimate>(
    (sum, { calls }) => ({ typical: sum.typical + calls.typical, worst: sum.worst + calls.worst }),
    { typical: 0, worst: 0 },
  );

/** Returns `2 REST calls, at worst 20`. */
export const describeCallCount = ({ typical, worst }: Estimate): string =>
  `${countText(typical)} REST call${typical === 1 ? "" : "s"}${describeWorstCase(typical, worst)}`;

export const describeWorstCase = (typical: number, worst: number): string =>
  worst === typical ? "" : `, at worst ${countText(worst)}`;

/** Lists the REST calls of a valid GraphQL operation in selection order. */
export function listCalls(model: Model, { definition, document }: SavedOperation): PlannedCall[] {
  const planner = new CallPlanner(
    model,
    document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION),
  );
  const root = model.schema.getRootType(definition.operation);
  const one = { typical: 1, worst: 1 };
  if (root)
    planner.visitType(root, [{ node: definition.selectionSet, deferredIn: [] }], {
      path: "",
      parents: one,
      page: undefined,
      enclosing: new Map(),
    });
  return definition.operation === "query" ? shared(planner.plan) : planner.plan;
}

/** Marks repeated reads without inputs, such as `GET /books`, because a query sends them only once. */
function shared(plan: readonly PlannedCall[]): PlannedCall[] {
  const first = new Map<RestOperation, string>();
  return plan.map((call) => {
    const { operation, inputs, wholeBody } = call.field;
    if (!isSafe(operation.method) || wholeBody || inputs.some((each) => each.in !== "item")) return call;
    const sharedWith = first.get(operation);
    if (sharedWith === undefined) first.set(operation, call.path);
    return sharedWith === undefined ? call : { ...call, calls: { typical: 0, worst: 0 }, sharedWith };
  });
}

/** `parents`: how many objects are at `path`. `page`: estimated length of the next list, if the last call has a page size. */
type WalkPosition = {
  readonly path: string;
  readonly parents: Estimate;
  readonly page: Estimate | undefined;
  /** Object type → number of its objects above `path`. */
  readonly enclosing: ReadonlyMap<string, Estimate>;
};

class CallPlanner {
  readonly plan: PlannedCall[] = [];
  readonly #model: Model;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(model: Model, fragments: readonly FragmentDefinitionNode[]) {
    this.#model = model;
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  }

  visitType(
    type: GraphQLObjectType,
    sets: readonly DeferredNode<SelectionSetNode>[],
    position: WalkPosition,
  ): void {
    const fields = new Map<string, DeferredNode<FieldNode>[]>();
    for (const set of sets) this.#collect(type, set, fields);
    for (const [name, nodes] of fields) {
      this.#visitField(type, nodes, { ...position, path: position.path ? `${position.path}.${name}` : name });
    }
  }

  #visitField(
    type: GraphQLObjectType,
    nodes: readonly DeferredNode<FieldNode>[],
    position: WalkPosition,
  ): void {
    const { path, parents, page } = position;
    const node = nodes[0]?.node;
    const field = node && this.#model.fields.get(`${type.name}.${node.name.value}`);
    if (!field) return;
    const { definition } = field;
    const bound = field.kind === "bound" ? field : undefined;
    // a field in several fragments is delivered with the first of them
    const [{ deferredIn = [] } = {}] = nodes.toSorted((a, b) => a.deferredIn.length - b.deferredIn.length);
    if (bound) this.plan.push({ path, field: bound, parents, calls: callsOf(bound, position), deferredIn });
    const objects = objectTypesOf(this.#model.schema, definition.type);
    if (objects.length === 0) return;
    const next = bound ? pageLength(bound, node) : page;
    const isList = isListType(getNullableType(definition.type));
    const enclosing = new Map([...position.enclosing, [type.name, parents]]);
    const below: WalkPosition = isList
      ? {
          path: `${path}[]`,
          parents: multiplyEstimates(parents, next ?? assumedLength),
          page: undefined,
          enclosing,
        }
      : { path, parents, page: next, enclosing };
    const sets = nodes.flatMap(({ node: { selectionSet: set }, deferredIn }) =>
      set ? [{ node: set, deferredIn }] : [],
    );
    for (const object of objects) this.visitType(object, sets, below);
  }

  #collect(
    type: GraphQLObjectType,
    { node: { selections }, deferredIn }: DeferredNode<SelectionSetNode>,
    fields: Map<string, DeferredNode<FieldNode>[]>,
  ): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.alias?.value ?? selection.name.value;
        const nodes = fields.get(name) ?? [];
        fields.set(name, nodes);
        nodes.push({ node: selection, deferredIn });
        continue;
      }
      const spread =
        selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection;
      const condition = spread?.typeCondition?.name.value;
      if (spread && (condition === undefined || this.#applies(condition, type)))
        this.#collect(
          type,
          { node: spread.selectionSet, deferredIn: [...deferredIn, ...this.#deferral(selection)] },
          fields,
        );
    }
  }

  /** Returns the fragment's label, or an empty list if the fragment is not deferred. */
  #deferral(fragment: FragmentSpreadNode | InlineFragmentNode): string[] {
    const directive = deferDirectiveOf(fragment);
    if (!directive) return [];
    const argument = (name: string) => directive.arguments?.find((each) => each.name.value === name)?.value;
    const condition = argument("if");
    const label = argument("label");
    if (condition?.kind === Kind.BOOLEAN && !condition.value) return [];
    return [label?.kind === Kind.STRING ? label.value : `at line ${directive.loc?.startToken.line}`];
  }

  #applies(condition: string, type: GraphQLObjectType): boolean {
    const named = this.#model.schema.getType(condition);
    return named === type || (isAbstractType(named) && this.#model.schema.isSubType(named, type));
  }
}

/**
 * A call that sends a value of the parent is made once per parent. A call that sends a value of an enclosing object is made once
 * per enclosing object. Any other call is made once.
 */
function callsOf(field: BoundField, { parents, enclosing }: WalkPosition): Estimate {
  const { batch, inputs } = field;
  const counts = enclosingTypes(field).flatMap((type) => enclosing.get(type) ?? []);
  const objects = {
    typical: Math.max(1, ...counts.map(({ typical }) => typical)),
    worst: Math.max(1, ...counts.map(({ worst }) => worst)),
  };
  if (!batch) return inputs.some(({ source }) => source.kind === "parent") ? parents : objects;
  const keys = batch.mode === "each" ? multiplyEstimates(parents, assumedLength) : parents;
  return {
    typical: Math.max(objects.typical, Math.ceil(keys.typical / batch.size)),
    // each enclosing object needs separate batches, and the last batch of each may have a single key
    worst: objects.worst - 1 + Math.max(1, Math.ceil(keys.worst / batch.size)),
  };
}

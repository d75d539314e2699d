/** Keeps the plans of operations. The total size is bounded: the least recently used plans go first. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  visit,
} from "graphql";
import { LRUCache } from "lru-cache";
import { own } from "../../../shared/own.ts";
import { cachedPlanBytes } from "../../settings/capacity.ts";
import { documentSize } from "../saved/saved-text.ts";
import type { Variables } from "../variables/coerce-variables.ts";
import { compilePlan, type Fragments } from "./compile-plan.ts";
import type { OperationPlan } from "./plan.ts";

const bytesPerField = 700;

/** What the plans of an operation share. */
type Shared = {
  readonly fragments: Fragments;
  /** The variables of `@skip` and `@include`: each outcome of them has a plan. */
  readonly conditions: readonly string[];
  readonly documentBytes: number;
  /** The beginning of the plans' keys. */
  readonly id: number;
};

export class PlanCache {
  readonly #schema: GraphQLSchema;
  readonly #maxFields: number;
  readonly #shared = new WeakMap<OperationDefinitionNode, Shared>();
  #operations = 0;
  readonly #plans = new LRUCache<string, OperationPlan>({ maxSize: cachedPlanBytes });

  constructor(schema: GraphQLSchema, maxFields: number) {
    this.#schema = schema;
    this.#maxFields = maxFields;
  }

  /**
   * The plan for coerced variables. `measured` runs the compilation of a new plan. Throws a `CodedError` for an operation
   * with too many fields.
   */
  get(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Variables,
    measured: (compile: () => OperationPlan) => OperationPlan,
  ): OperationPlan {
    const shared = this.#shared.get(operation) ?? {
      fragments: fragmentsOf(document),
      conditions: conditionsOf(document),
      documentBytes: documentSize(document),
      id: this.#operations++,
    };
    this.#shared.set(operation, shared);
    const { fragments, conditions, documentBytes, id } = shared;
    const key = `${id} ${conditions.map((name) => outcomeOf(own(variables, name))).join("")}`;
    const kept = this.#plans.get(key);
    if (kept) return kept;
    const plan = measured(() => compilePlan(this.#schema, fragments, operation, variables, this.#maxFields));
    const isOfOneRequest = plan.introspects && Object.keys(variables).length > 0;
    if (!isOfOneRequest) this.#plans.set(key, plan, { size: documentBytes + bytesPerField * plan.size });
    return plan;
  }
}

/** A nullable variable with a default may be null. A null condition is an error. */
const outcomeOf = (condition: unknown): string => (condition === null ? "n" : condition === true ? "1" : "0");

export const fragmentsOf = (document: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
    ),
  );

/** The variables of `@skip` and `@include`. */
function conditionsOf(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ name, arguments: args }) {
      const value = args?.find((argument) => argument.name.value === "if")?.value;
      if (["skip", "include"].includes(name.value) && value?.kind === Kind.VARIABLE)
        names.add(value.name.value);
    },
  });
  return [...names];
}

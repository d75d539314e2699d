/** Caches the plans of operations up to a total size. The least recently used plan is evicted first. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  visit,
} from "graphql";
import { LRUCache } from "lru-cache";
import { deferName } from "../../../shared/defer.ts";
import { own } from "../../../shared/own.ts";
import type { PartFormat } from "../../http/graphql-media-type.ts";
import { cachedPlanBytes } from "../../settings/capacity.ts";
import { documentSize } from "../saved/saved-text.ts";
import type { Variables } from "../variables/coerce-variables.ts";
import type { Fragments } from "./collect-fields.ts";
import { compilePlan } from "./compile-plan.ts";
import type { OperationPlan } from "./plan.ts";

const bytesPerField = 700;

type Shared = {
  readonly fragments: Fragments;
  /**
   * The variables in the conditions of `@skip`, `@include` and `@defer`. Each combination of their values has a separate plan.
   */
  readonly conditions: readonly string[];
  readonly hasDefer: boolean;
  readonly documentBytes: number;
  /** The prefix that the keys of all plans of the operation have in common. */
  readonly id: number;
};

type PlannedOperation = {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** If undefined, `@defer` has no effect. */
  readonly format?: PartFormat | undefined;
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
   * Returns the plan of an operation for coerced variables. If there is no such plan yet, compiles it; `measured` runs the
   * compilation. Throws a `CodedError` for an operation with too many fields.
   */
  get(
    { document, operation, format }: PlannedOperation,
    variables: Variables,
    measured: (compile: () => OperationPlan) => OperationPlan,
  ): OperationPlan {
    const shared = this.#shared.get(operation) ?? {
      fragments: fragmentsOf(document),
      ...conditionsOf(document),
      documentBytes: documentSize(document),
      id: this.#operations++,
    };
    this.#shared.set(operation, shared);
    const { fragments, conditions, hasDefer, documentBytes, id } = shared;
    const deferred = hasDefer ? format : undefined;
    const key = `${id} ${deferred ?? ""} ${conditions.map((name) => outcomeOf(own(variables, name))).join("")}`;
    const kept = this.#plans.get(key);
    if (kept) return kept;
    const options = {
      schema: this.#schema,
      fragments,
      variables,
      maxFields: this.#maxFields,
      format: deferred,
    };
    const plan = measured(() => compilePlan(operation, options));
    const isOfOneRequest = plan.introspects && Object.keys(variables).length > 0;
    if (!isOfOneRequest) this.#plans.set(key, plan, { size: documentBytes + bytesPerField * plan.size });
    return plan;
  }
}

/** Distinguishes null from false, because a null condition is an error. A nullable variable with a default may be null. */
const outcomeOf = (condition: unknown): string => (condition === null ? "n" : condition === true ? "1" : "0");

export const fragmentsOf = (document: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
    ),
  );

/** Returns the variables in the conditions of `@skip`, `@include` and `@defer`, and whether the document has `@defer`. */
function conditionsOf(document: DocumentNode): Pick<Shared, "conditions" | "hasDefer"> {
  const names = new Set<string>();
  let hasDefer = false;
  visit(document, {
    Directive({ name, arguments: args }) {
      const value = args?.find((argument) => argument.name.value === "if")?.value;
      if (name.value === deferName) hasDefer = true;
      if (["skip", "include", deferName].includes(name.value) && value?.kind === Kind.VARIABLE)
        names.add(value.name.value);
    },
  });
  return { conditions: [...names], hasDefer };
}

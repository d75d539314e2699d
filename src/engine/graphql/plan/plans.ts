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

import { cachedPlans } from "../../settings/capacity.ts";
import { sizeOf } from "../saved/saved-text.ts";
import type { Variables } from "../variables/coerce-variables.ts";
import { compilePlan, type Fragments } from "./compile-plan.ts";
import type { OperationPlan } from "./plan.ts";

const bytesPerField = 700;

type Known = {
  readonly documentBytes: number;
  readonly fragments: Fragments;
  readonly conditions: readonly string[];
  /** A plan for each outcome of the `@skip` and `@include` variables. The oldest one is dropped. */
  readonly variants: Map<string, OperationPlan>;
};

type Compile = () => OperationPlan;

const bytesOf = ({ documentBytes, variants }: Known): number =>
  [...variants.values()].reduce((sum, { size }) => sum + bytesPerField * size, documentBytes);

export class Plans {
  readonly #schema: GraphQLSchema;
  readonly #maxFields: number;
  readonly #known = new LRUCache<OperationDefinitionNode, Known>({
    maxSize: cachedPlans.bytes,
    sizeCalculation: bytesOf,
  });

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
    measured: (compile: Compile) => OperationPlan,
  ): OperationPlan {
    const known = this.#known.get(operation) ?? {
      documentBytes: sizeOf(document),
      fragments: fragmentsOf(document),
      conditions: conditionsOf(document),
      variants: new Map(),
    };
    const { fragments, conditions, variants } = known;
    const variant = conditions.map((name) => outcomeOf(variables[name])).join("");
    const kept = variants.get(variant);
    if (kept) return kept;
    const plan = measured(() => compilePlan(this.#schema, fragments, operation, variables, this.#maxFields));
    if (plan.introspects && Object.keys(variables).length > 0) return plan;
    const [oldest] = variants.keys();
    if (variants.size === cachedPlans.ofOperation && oldest !== undefined) variants.delete(oldest);
    variants.set(variant, plan);
    this.#known.delete(operation); // its size has changed
    this.#known.set(operation, known);
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

/**
 * The plans of the documents that are in use. They hang on the parsed document, so they are bounded with Apollo's own
 * bounded document store and go when a document goes.
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  visit,
} from "graphql";
import { compile, type Fragments, type Variables } from "./compile.ts";
import type { OperationPlan } from "./plan.ts";

/** An operation has a plan for each outcome of its `@skip` and `@include` variables, up to this many; then graphql-js. */
const maxVariants = 16;

type Known = {
  readonly fragments: Fragments;
  readonly conditions: readonly string[];
  readonly variants: Map<string, OperationPlan | undefined>;
};

export class Plans {
  readonly #schema: GraphQLSchema;
  readonly #known = new WeakMap<DocumentNode, Map<OperationDefinitionNode, Known>>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** The plan for these variables, already coerced; `undefined` if graphql-js has to run the operation. */
  get(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Variables,
  ): OperationPlan | undefined {
    const { fragments, conditions, variants } = this.#of(document, operation);
    // a null, let in by a default, is an error that graphql-js places
    if (conditions.some((name) => variables[name] === null)) return undefined;
    const variant = conditions.map((name) => (variables[name] === true ? "1" : "0")).join("");
    if (variants.has(variant) || variants.size === maxVariants) return variants.get(variant);
    const plan = compile(this.#schema, fragments, operation, variables);
    variants.set(variant, plan);
    return plan;
  }

  #of(document: DocumentNode, operation: OperationDefinitionNode): Known {
    const operations = this.#known.get(document) ?? new Map<OperationDefinitionNode, Known>();
    this.#known.set(document, operations);
    const known = operations.get(operation) ?? {
      fragments: fragmentsOf(document),
      conditions: conditionsOf(document),
      variants: new Map(),
    };
    operations.set(operation, known);
    return known;
  }
}

const fragmentsOf = (document: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
    ),
  );

/** The variables that decide what is selected. */
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

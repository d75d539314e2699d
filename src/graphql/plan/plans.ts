/** The plans of the operations that are in use, bounded by what they hold: the least recently used go first. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  visit,
} from "graphql";
import { LRUCache } from "lru-cache";
import { CodedError } from "../../errors.ts";
import { sizeOf } from "../documents.ts";
import { compile, type Fragments, type Variables } from "./compile.ts";
import type { OperationPlan } from "./plan.ts";

/** An operation has a plan for each outcome of its `@skip` and `@include` variables, the latest of them kept. */
const maxVariants = 16;

/** Bytes of all plans that are kept, and of the documents that they keep. */
const maxBytes = 70_000_000;
const bytesPerField = 700;

type Known = {
  readonly documentBytes: number;
  readonly fragments: Fragments;
  readonly conditions: readonly string[];
  readonly variants: Map<string, OperationPlan | undefined>;
};

const bytesOf = ({ documentBytes, variants }: Known): number =>
  [...variants.values()].reduce((sum, plan) => sum + bytesPerField * (plan?.size ?? 0), documentBytes);

export class Plans {
  readonly #schema: GraphQLSchema;
  readonly #maxFields: number;
  readonly #known = new LRUCache<OperationDefinitionNode, Known>({
    maxSize: maxBytes,
    sizeCalculation: bytesOf,
  });

  constructor(schema: GraphQLSchema, maxFields: number) {
    this.#schema = schema;
    this.#maxFields = maxFields;
  }

  /**
   * The plan for these variables, already coerced; `undefined` if graphql-js has to run the operation. Throws a
   * `CodedError` for an operation of too many fields, or a condition that a null decides.
   */
  get(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Variables,
  ): OperationPlan | undefined {
    const known = this.#known.get(operation) ?? {
      documentBytes: sizeOf(document),
      fragments: fragmentsOf(document),
      conditions: conditionsOf(document),
      variants: new Map(),
    };
    const { fragments, conditions, variants } = known;
    const missing = conditions.find((name) => variables[name] === null); // let in by a default
    if (missing) throw new CodedError("BAD_USER_INPUT", `$${missing} decides a condition and cannot be null`);
    const variant = conditions.map((name) => (variables[name] === true ? "1" : "0")).join("");
    if (variants.has(variant)) return variants.get(variant);
    const plan = compile(this.#schema, fragments, operation, variables, this.#maxFields);
    const [oldest] = variants.keys();
    if (variants.size === maxVariants && oldest !== undefined) variants.delete(oldest);
    variants.set(variant, plan);
    this.#known.delete(operation); // its size has changed
    this.#known.set(operation, known);
    return plan;
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

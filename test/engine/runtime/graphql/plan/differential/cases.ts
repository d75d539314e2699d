/** Creates case `index` of a seed, equal on any machine. 25 cases share a schema, and 5 cases share an operation. */
import { type DocumentNode, parse, validate } from "graphql";
import type { Pieces } from "../../../../../../src/engine/runtime/graphql/plan/complete-level.ts";
import { PlanCache } from "../../../../../../src/engine/runtime/graphql/plan/plan-cache.ts";
import { Random } from "../../../../../support/random.ts";
import type { Faults } from "./answers.ts";
import type { Case } from "./compare.ts";
import { type RandomOperation, randomOperation } from "./operation.ts";
import { type RandomSchema, randomSchema } from "./schema.ts";

const perSchema = 25;
const perOperation = 5;

export type NumberedCase = Case & { readonly index: number; readonly text: string };

type SchemaOf25 = { readonly at: number; readonly given: RandomSchema; readonly plans: PlanCache };
type SharedOperation = {
  readonly at: number;
  readonly operation: RandomOperation;
  readonly document: DocumentNode;
};

export class Cases {
  readonly #seed: unknown;
  #schema: SchemaOf25 | undefined;
  #operation: SharedOperation | undefined;

  constructor(seed: unknown) {
    this.#seed = seed;
  }

  get(index: number): NumberedCase {
    const { given, plans } = this.#schemaOf(index);
    const { operation, document } = this.#operationOf(index, given);
    const seed = `${this.#seed}/${index}`;
    return {
      index,
      given,
      plans,
      document,
      text: operation.text,
      operationName: operation.operationName,
      variables: operation.variables(seed),
      faults: faultsOf(new Random(seed, "faults")),
      seed,
      pieces: piecesOf(new Random(seed, "pieces")),
    };
  }

  #schemaOf(index: number): SchemaOf25 {
    const at = Math.floor(index / perSchema);
    if (this.#schema?.at === at) return this.#schema;
    const given = randomSchema(this.#seed, at);
    this.#schema = { at, given, plans: new PlanCache(given.schema, 5_000) };
    return this.#schema;
  }

  /** The first valid operation of the random operations. */
  #operationOf(index: number, given: RandomSchema): SharedOperation {
    const at = Math.floor(index / perOperation);
    if (this.#operation?.at === at) return this.#operation;
    for (let attempt = 0; ; attempt++) {
      const operation = randomOperation(given.schema, this.#seed, at, attempt);
      const document = parse(operation.text);
      const [error] = validate(given.schema, document, undefined, { maxErrors: 1 });
      if (!error) {
        this.#operation = { at, operation, document };
        return this.#operation;
      }
      if (attempt > 200) throw error;
    }
  }
}

/** A third of the cases wait before each piece, and another third before some. */
function piecesOf(random: Random): Pieces {
  const waits = random.pick([0, 0.5, 1]);
  return {
    size: random.pick([1, 2, 128]),
    complete: (work) => (random.chance(waits) ? Promise.resolve().then(work) : work()),
    measured: (work) => work(),
  };
}

const faultsOf = (random: Random): Faults => ({
  values: random.pick([0, 0, 0.005, 0.02, 0.1]),
  calls: random.pick([0, 0, 0.1, 0.4]),
});

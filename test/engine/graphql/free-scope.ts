/** The execution of operations without a server, and scopes for it. */
import type { GraphQLSchema } from "graphql";
import type { Config } from "../../../src/engine/config.ts";
import { createExecutor, type Execute } from "../../../src/engine/graphql/executor.ts";
import { Documents, documentReader } from "../../../src/engine/graphql/limits/documents.ts";
import { SavedOperations } from "../../../src/engine/graphql/saved/saved-operations.ts";

export function executorOf(schema: GraphQLSchema, config: Config, executions = { count: 0 }): Execute {
  const documents = new Documents(new SavedOperations([]), config, documentReader(schema, config));
  return createExecutor(schema, config, documents, executions);
}

/** A request's scope for tests of the execution alone: nobody charges processor time. */
const run = <T>(work: () => T): T => work();
export const freeScope = { worked() {}, measured: run, completed: run };

/** The same with a budget of bytes without an end, for responses of 1,000 bytes. */
export const freeBudget = {
  ...freeScope,
  maxResponseBytes: 1_000,
  hold: () => undefined,
  drop() {},
  decompressed: run,
};

import type { Mutation } from "./mutation.ts";
import type { Pair } from "./pair.ts";
export const operationMutations = (_pair: Pair): Mutation[] => [];

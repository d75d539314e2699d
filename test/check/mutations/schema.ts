import type { Mutation } from "./mutation.ts";
import type { Pair } from "./pair.ts";
export const schemaMutations = (_pair: Pair): Mutation[] => [];

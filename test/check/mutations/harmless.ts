import type { Mutation } from "./mutation.ts";
import type { Pair } from "./pair.ts";
export const harmlessMutations = (_pair: Pair): Mutation[] => [];

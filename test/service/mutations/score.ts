/** Runs the mutations of both pairs and counts the right findings. */
import { harmlessMutations } from "../../engine/build/check/mutations/harmless.ts";
import { judge, type Outcome } from "../../engine/build/check/mutations/mutation.ts";
import { operationMutations } from "../../engine/build/check/mutations/operations.ts";
import { depot, type Pair, validProject } from "../../engine/build/check/mutations/pair.ts";
import { propertyMutations } from "../../engine/build/check/mutations/properties.ts";
import { schemaMutations } from "../../engine/build/check/mutations/schema.ts";
import { messaging } from "./messaging.ts";

export type Score = {
  readonly breaking: { readonly right: number; readonly all: number };
  readonly harmless: { readonly right: number; readonly all: number };
  readonly missed: readonly Outcome[];
};

/** A step of 5 runs every fifth mutation of the pair. */
export function score(step = { messaging: 1, depot: 1 }): Score {
  const outcomes = [...outcomesOf(messaging(), step.messaging), ...outcomesOf(depot(), step.depot)];
  const count = (of: readonly Outcome[]) => ({
    right: of.filter(({ failure }) => !failure).length,
    all: of.length,
  });
  return {
    breaking: count(outcomes.filter(({ mutation }) => mutation.coordinates)),
    harmless: count(outcomes.filter(({ mutation }) => !mutation.coordinates)),
    missed: outcomes.filter(({ failure }) => failure !== undefined),
  };
}

function outcomesOf(pair: Pair, step: number): Outcome[] {
  const base = validProject(pair.files);
  const mutations = [
    ...propertyMutations(pair),
    ...operationMutations(pair),
    ...schemaMutations(pair),
    ...harmlessMutations(pair),
  ];
  return mutations.filter((_, index) => index % step === 0).map((mutation) => judge(pair, base, mutation));
}

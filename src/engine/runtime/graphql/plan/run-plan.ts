/**
 * Runs a plan level by level. The root fields of a query start together, and the root fields of a mutation run one after
 * another. A field below the root starts when its parent objects are complete, with one call of its resolver for all of them. A
 * failed value becomes null if its type allows null.
 */
import { getArgumentValues } from "graphql";
import { Dictionary } from "../../../shared/own.ts";
import type { Environment } from "../../settings/environment.ts";
import type { Args } from "../errors/argument-check.ts";
import { FieldError } from "../errors/field-error.ts";
import { ArgumentBudget } from "./argument-budget.ts";
import { completeLevel, type Level, type PlanRun, positionsIn } from "./complete-level.ts";
import { Deferral, describeParts } from "./deferral.ts";
import { enclosingWithArguments, type OperationPlan, type ResultMap, toError } from "./plan.ts";
import { createResponseBudget } from "./response-budget.ts";

/** The first or only part of a response. `later` yields the deferred parts that follow. */
export type PlanResult = {
  readonly data: ResultMap | null;
  readonly errors: readonly FieldError[];
  readonly later?: Deferral | undefined;
};

type RunOptions = Pick<PlanRun, "variables" | "context" | "pieces"> & {
  readonly limits: Pick<Environment, "MAX_ANSWER_BYTES" | "MAX_BODY_BYTES">;
};

/**
 * Returns the data and the unmasked field errors (GraphQL spec §6.4.4). Throws `ResponseTooLarge` if the response exceeds about
 * MAX_ANSWER_BYTES, or `CLIENT_CLOSED_REQUEST` if a query's client has disconnected.
 */
export function runPlan(
  plan: OperationPlan,
  { variables, context, limits, pieces }: RunOptions,
): Promise<PlanResult> {
  const { fault } = plan.root;
  if (fault)
    return Promise.resolve({ data: null, errors: [new FieldError(fault, fault.locations, undefined)] });
  const data: ResultMap = new Dictionary();
  const budget = createResponseBudget(limits.MAX_ANSWER_BYTES);
  const argumentBudget = new ArgumentBudget(limits.MAX_BODY_BYTES);
  const deferral = plan.defers ? new Deferral(plan.serial, (level) => runLevel(run, level)) : undefined;
  const run: PlanRun = {
    plan,
    variables,
    context,
    errors: [],
    budget,
    argumentBudget,
    pieces,
    deferral,
    data,
  };
  for (const { key, source, parentType } of plan.root.fields)
    data[key] = source.kind === "typename" ? parentType.name : null;
  const levels = plan.root.bound.map(
    (field): Level => ({ field, parents: [undefined], resultMaps: [data], enclosing: [], above: undefined }),
  );
  const running = plan.serial ? runSerially(run, levels) : all(levels.map((level) => runLevel(run, level)));
  if (!deferral) return running.then(() => ({ data: run.data, errors: run.errors }));
  const root = { plan: plan.root, sources: [undefined], resultMaps: [data], enclosing: [] };
  const beginning = deferral.begin(budget, [root], new Map([[data, undefined]]));
  return Promise.all([running, beginning]).then(() => {
    const { data, errors } = run;
    return { data, errors, later: deferral.announce(data) ? deferral : undefined };
  });
}

/** Runs the root fields one after another, until a null propagates to the response's `data` (GraphQL spec §6.3.1). */
async function runSerially(run: PlanRun, levels: readonly Level[]): Promise<void> {
  for (const level of levels) if (run.data) await runLevel(run, level);
}

/** Calls the field's resolver for all parents, completes the values, and runs the next levels. */
async function runLevel(run: PlanRun, level: Level): Promise<void> {
  let values: readonly unknown[];
  let { enclosing: around } = level;
  try {
    const args = argumentsOf(run, level);
    if (level.field.inherited.length > 0)
      around = level.parents.map((_, index) => enclosingWithArguments(level.field, args, around[index]));
    const context = run.deferral ? contextOf(run, level) : run.context;
    const call = () => level.field.source.resolve(level.parents, args, context, level.enclosing);
    const called = run.argumentBudget.isLarge ? run.pieces.measured(call) : call();
    values = called instanceof Promise ? await called : [await called[0]];
  } catch (error) {
    values = level.parents.map(() => toError(error));
  }
  const completed = completeLevel(run, level, values, around);
  const nextParents = completed instanceof Promise ? await completed : completed;
  if (nextParents.length === 0) return;
  const next = nextParents.flatMap((found) => {
    if (!found || found.resultMaps.length === 0) return [];
    const { plan, sources: parents, resultMaps, enclosing } = found;
    return plan.bound.map((field) => runLevel(run, { field, parents, resultMaps, enclosing, above: level }));
  });
  if (run.deferral && nextParents.some((found) => found?.plan.deferral))
    next.push(run.deferral.begin(run.budget, nextParents, positionsIn(run, level)));
  if (next.length > 0) await all(next);
}

/** In a deferred part, the context records each REST call's part. */
function contextOf({ context }: PlanRun, level: Level): PlanRun["context"] {
  let at: Level | undefined = level;
  while (at && !at.parts) at = at.above;
  if (!at?.parts || !context.rest.forPart) return context;
  return { ...context, rest: context.rest.forPart(describeParts(at.parts)) };
}

/** Like `Promise.all`, but a single promise is returned unchanged, which is faster. */
const all = (runs: Promise<void>[]): Promise<unknown> => {
  const [first] = runs;
  return first && runs.length === 1 ? first : Promise.all(runs);
};

function argumentsOf(run: PlanRun, { field: { field, nodes } }: Level): Args {
  const [node] = nodes;
  if (field.args.length === 0 || !node) return new Dictionary();
  // the `Dictionary` has no prototype; otherwise an omitted argument named `valueOf` would have an inherited value
  const args = new Dictionary(getArgumentValues(field, node, run.variables as never));
  run.argumentBudget.spend(args);
  return args;
}

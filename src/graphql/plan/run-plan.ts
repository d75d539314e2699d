/**
 * Runs a plan level by level. Root fields start together; the root fields of a mutation run one after another. A field
 * below them starts once its parents are complete. Its resolver is called once for the whole level. A failed value becomes
 * null where its type allows null.
 */
import { getArgumentValues } from "graphql";
import type { Environment } from "../../environment.ts";
import { CodedError } from "../../errors.ts";
import { FieldError } from "../errors/field-error.ts";
import type { Variables } from "../variables/coerce-variables.ts";
import { ArgumentBudget } from "./argument-budget.ts";
import { AnswerTooLarge, type Budget, budgetOf } from "./budget.ts";
import { compileProjection, type Projection } from "./compile-projection.ts";
import { addError, type Completion, complete } from "./complete.ts";
import type { FieldPlan, LevelParents, OperationPlan, ParentsByPlan, ResultMap } from "./plan.ts";
import { bubble, isAttached, type Positions, positionsBelow } from "./positions.ts";

export type PlanResult = { readonly data: ResultMap | null; readonly errors: readonly FieldError[] };

/** Runs work, and charges its processor time to the caller. */
type RunWork = <T>(work: () => T) => T;

type Run = {
  readonly plan: OperationPlan;
  readonly variables: Variables;
  readonly context: unknown;
  readonly errors: FieldError[];
  readonly budget: Budget;
  readonly argumentBudget: ArgumentBudget;
  readonly completed: RunWork;
  data: ResultMap | null;
};

/** One field of all parents that the field above has returned. */
type Level = {
  readonly field: FieldPlan;
  /** REST's objects, and the result maps made from them. */
  readonly parents: readonly unknown[];
  readonly resultMaps: readonly ResultMap[];
  readonly enclosing: LevelParents["enclosing"];
  /** The level whose values hold the result maps; the operation's root has none. */
  readonly above: Level | undefined;
  /** The positions of the objects in this level's values, computed after a failure below. */
  below?: Positions;
};

/**
 * Returns the data and the unmasked field errors (GraphQL spec §6.4.4). Throws `AnswerTooLarge` for a response of more than
 * about MAX_ANSWER_BYTES. Throws the `CLIENT_CLOSED_REQUEST` error of a call if a query's client has left.
 */
export async function runPlan(
  plan: OperationPlan,
  variables: Variables,
  context: unknown,
  limits: Pick<Environment, "MAX_ANSWER_BYTES" | "MAX_BODY_BYTES">,
  completed: RunWork,
): Promise<PlanResult> {
  const { fault } = plan.root;
  if (fault) return { data: null, errors: [new FieldError(fault, fault.locations, undefined)] };
  const data: ResultMap = Object.create(null);
  const budget = budgetOf(limits.MAX_ANSWER_BYTES);
  const argumentBudget = new ArgumentBudget(limits.MAX_BODY_BYTES);
  const run: Run = { plan, variables, context, errors: [], budget, argumentBudget, completed, data };
  for (const { key, source, parentType } of plan.root.fields)
    data[key] = source.kind === "typename" ? parentType.name : null;
  const levels = plan.root.bound.map(
    (field): Level => ({ field, parents: [undefined], resultMaps: [data], enclosing: [], above: undefined }),
  );
  // once a root field has nulled the whole data, the next mutations do not run (GraphQL spec §6.3.1)
  if (plan.serial) for (const level of levels) run.data && (await runLevel(run, level));
  else await all(levels.map((level) => runLevel(run, level)));
  return { data: run.data, errors: run.errors };
}

/** Calls the field's resolver for all parents, completes the values, and runs the levels below. */
async function runLevel(run: Run, level: Level): Promise<void> {
  let values: readonly unknown[];
  try {
    values = await callResolver(run, level);
  } catch (error) {
    values = level.parents.map(() => asError(error));
  }
  const nextParents = completeLevel(run, level, values);
  const next = nextParents.flatMap((found) => {
    if (!found || found.resultMaps.length === 0) return [];
    const { plan, sources: parents, resultMaps, enclosing } = found;
    return plan.bound.map((field) => runLevel(run, { field, parents, resultMaps, enclosing, above: level }));
  });
  if (next.length > 0) await all(next);
}

/** Projects the values, or completes them exactly if the projection refuses them. */
const completeLevel = (run: Run, level: Level, values: readonly unknown[]): ParentsByPlan =>
  run.completed(() => project(run, level, values) ?? completeExactly(run, level, values));

/** `Promise.all`, without its cost for a single promise. */
const all = (runs: Promise<void>[]): Promise<unknown> | undefined =>
  runs.length === 1 ? runs[0] : Promise.all(runs);

/** Returns one value or Error for each parent. A rejection is the error of every parent. */
function callResolver(run: Run, { field, parents, enclosing }: Level): Promise<readonly unknown[]> {
  const { source, nodes } = field;
  const node = nodes[0];
  const takesArguments = field.field.args.length > 0 && node;
  const args = takesArguments ? getArgumentValues(field.field, node, run.variables as never) : {};
  if (takesArguments) run.argumentBudget.spend(args);
  if (source.kind === "level") return source.resolve(parents, args, run.context, enclosing);
  if (source.kind !== "call") throw new Error(`${field.key} is bound to no resolver`);
  const call = (parent: unknown, index: number): unknown =>
    source.resolve(parent, args, run.context, { enclosing: enclosing[index] });
  if (parents.length === 1) return Promise.resolve(call(parents[0], 0)).then((value) => [value]);
  return Promise.allSettled(parents.map(async (parent, index) => call(parent, index))).then((settled) =>
    settled.map((one) => (one.status === "fulfilled" ? one.value : asError(one.reason))),
  );
}

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`Unexpected error value: ${String(thrown)}`);

/** The fast way for a whole level; `undefined` if the projection refuses one of the values. */
function project(
  { budget }: Run,
  { field, resultMaps, enclosing }: Level,
  values: readonly unknown[],
): ParentsByPlan | undefined {
  const nextParents: ParentsByPlan = [];
  const { left } = budget;
  const projection = projectionOf(field);
  try {
    if (values.some((value) => value instanceof Error)) return undefined;
    projection(resultMaps, values, nextParents, budget, enclosing);
    return nextParents;
  } catch (error) {
    if (error instanceof AnswerTooLarge) throw error;
    budget.left = left;
    return undefined;
  }
}

/** Completes a whole level exactly: errors have paths, and nulls bubble. Parents that a null has cut off are skipped. */
function completeExactly(run: Run, level: Level, values: readonly unknown[]): ParentsByPlan {
  const { field, resultMaps, above } = level;
  if (!run.plan.serial) for (const value of values) if (hasLeft(value)) throw value;
  const { errors, budget } = run;
  const completion: Completion = { errors, nextParents: [], budget, enclosing: undefined };
  const positions = positionsIn(run, above);
  resultMaps.forEach((resultMap, index) => {
    if (!isAttached(run.data, positions, resultMap)) return;
    const position = positions.get(resultMap);
    completion.enclosing = level.enclosing[index];
    try {
      const path = { up: position?.path, key: field.key };
      resultMap[field.key] = complete(completion, field, values[index], path);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      addError(completion, error);
      if (!bubble(position)) run.data = null;
    }
  });
  return completion.nextParents.map((parents) => parents && attachedParents(run, level, parents));
}

/** Whether the value is the error of a call whose client has left. */
const hasLeft = (value: unknown): boolean =>
  value instanceof CodedError && value.code === "CLIENT_CLOSED_REQUEST";

/** The positions of the objects in a level's values; without a level, the root's position. */
function positionsIn(run: Run, level: Level | undefined): Positions {
  if (!level) return new Map(run.data && [[run.data, undefined]]);
  level.below ??= positionsBelow(level.field, level.resultMaps, positionsIn(run, level.above));
  return level.below;
}

/** Removes the parents that a null has cut off. */
function attachedParents(run: Run, level: Level, parents: LevelParents): LevelParents {
  const positions = positionsIn(run, level);
  const kept = parents.resultMaps.map((resultMap) => isAttached(run.data, positions, resultMap));
  const isKept = (_: unknown, index: number): boolean | undefined => kept[index];
  return {
    plan: parents.plan,
    sources: parents.sources.filter(isKept),
    resultMaps: parents.resultMaps.filter(isKept),
    enclosing: parents.enclosing.filter(isKept),
  };
}

const projections = new WeakMap<FieldPlan, Projection>();

function projectionOf(field: FieldPlan): Projection {
  let projection = projections.get(field);
  if (!projection) {
    projection = compileProjection(field);
    projections.set(field, projection);
  }
  return projection;
}

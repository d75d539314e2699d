/**
 * Runs a plan: root calls together (a mutation's one after another), then, as soon as a field's own objects are there,
 * each field below them, one call of its resolver a level. What fails becomes null where the types allow it.
 */
import { getArgumentValues } from "graphql";
import { CodedError } from "../../errors.ts";
import { AnswerTooLarge, type Budget } from "./budget.ts";
import type { Variables } from "./compile.ts";
import { type Completion, complete, FieldError, tell } from "./complete.ts";
import type { FieldPlan, Gathered, OperationPlan, Target, Waiting } from "./plan.ts";
import { bubble, isAttached, type Positions, positionsBelow } from "./positions.ts";
import { compileProjection, type Projection } from "./project.ts";

export type Answer = { readonly data: Target | null; readonly errors: readonly FieldError[] };

type Run = {
  readonly plan: OperationPlan;
  readonly variables: Variables;
  readonly context: unknown;
  readonly errors: FieldError[];
  readonly budget: Budget;
  data: Target | null;
};

/** One field of all objects that a field above it has brought. */
type Level = {
  readonly field: FieldPlan;
  /** REST's objects, and the answer's objects made of them. */
  readonly parents: readonly unknown[];
  readonly targets: readonly Target[];
  /** The level whose values hold the targets; the operation's root has none. */
  readonly above: Level | undefined;
  /** Where the objects in this level's values stand, once something below has failed. */
  below?: Positions;
};

/**
 * The whole answer: what a field throws is among its errors (GraphQL spec §6.4.4), unmasked. Throws `AnswerTooLarge` for
 * one of more than about `maxBytes`, and for a query whose client has left what its calls say of that; nothing else.
 */
export async function runPlan(
  plan: OperationPlan,
  variables: Variables,
  context: unknown,
  maxBytes: number,
): Promise<Answer> {
  const data: Target = Object.create(null);
  const budget: Budget = { left: maxBytes, limit: maxBytes };
  const run: Run = { plan, variables, context, errors: [], budget, data };
  for (const { key, source, parentType } of plan.root.fields)
    data[key] = source.kind === "typename" ? parentType.name : null;
  const levels = plan.root.bound.map(
    (field): Level => ({ field, parents: [undefined], targets: [data], above: undefined }),
  );
  // a mutation that nulls the whole answer is the last one (GraphQL spec §6.3.1)
  if (plan.serial) for (const level of levels) run.data && (await runLevel(run, level));
  else await all(levels.map((level) => runLevel(run, level)));
  return { data: run.data, errors: run.errors };
}

/** Calls the field for all parents of a level, completes its values, then runs what waits for them. */
async function runLevel(run: Run, level: Level): Promise<void> {
  let values: readonly unknown[];
  try {
    values = await callResolver(run, level);
  } catch (error) {
    values = level.parents.map(() => asError(error));
  }
  const gathered = project(run, level, values) ?? completeExactly(run, level, values);
  const next = gathered.flatMap((waiting) =>
    waiting && waiting.targets.length > 0
      ? waiting.plan.bound.map((field) =>
          runLevel(run, { field, parents: waiting.sources, targets: waiting.targets, above: level }),
        )
      : [],
  );
  if (next.length > 0) await all(next);
}

/** `Promise.all`, without its cost where there is one to wait for. */
const all = (runs: Promise<void>[]): Promise<unknown> | undefined =>
  runs.length === 1 ? runs[0] : Promise.all(runs);

/** One value or Error a parent; what it throws is every parent's. */
function callResolver(run: Run, { field, parents }: Level): Promise<readonly unknown[]> {
  const { source, nodes } = field;
  const node = nodes[0];
  const args =
    field.field.args.length > 0 && node ? getArgumentValues(field.field, node, run.variables as never) : {};
  if (source.kind === "level") return source.resolve(parents, args, run.context);
  if (source.kind !== "call") throw new Error(`${field.key} is bound to no resolver`);
  const call = (parent: unknown): unknown => source.resolve(parent, args, run.context, undefined);
  if (parents.length === 1) return Promise.resolve(call(parents[0])).then((value) => [value]);
  return Promise.allSettled(parents.map(async (parent) => call(parent))).then((settled) =>
    settled.map((one) => (one.status === "fulfilled" ? one.value : asError(one.reason))),
  );
}

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`Unexpected error value: ${String(thrown)}`);

/** The fast way for a whole level; `undefined` if any of its values is not what it should be. */
function project(
  { budget }: Run,
  { field, targets }: Level,
  values: readonly unknown[],
): Gathered | undefined {
  const gathered: Gathered = [];
  const { left } = budget;
  const projection = projectionOf(field);
  try {
    if (values.some((value) => value instanceof Error)) return undefined;
    projection(targets, values, gathered, budget);
    return gathered;
  } catch (error) {
    if (error instanceof AnswerTooLarge) throw error;
    budget.left = left;
    return undefined;
  }
}

/** The exact way for a whole level: errors with their paths, nulls that bubble; what a null cuts off is left alone. */
function completeExactly(run: Run, level: Level, values: readonly unknown[]): Gathered {
  const { field, targets, above } = level;
  if (!run.plan.serial) for (const value of values) if (hasLeft(value)) throw value;
  const completion: Completion = { errors: run.errors, gathered: [], budget: run.budget };
  const standing = positionsIn(run, above);
  targets.forEach((target, index) => {
    if (!isAttached(run.data, standing, target)) return;
    const position = standing.get(target);
    try {
      const path = { up: position?.path, key: field.key };
      target[field.key] = complete(completion, field, values[index], path);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      tell(completion, error);
      if (!bubble(position)) run.data = null;
    }
  });
  return completion.gathered.map((waiting) => waiting && stillStanding(run, level, waiting));
}

/** Nobody is left to make errors for. */
const hasLeft = (value: unknown): boolean =>
  value instanceof CodedError && value.code === "CLIENT_CLOSED_REQUEST";

/** Where the objects in a level's values stand; for no level, the root. */
function positionsIn(run: Run, level: Level | undefined): Positions {
  if (!level) return new Map(run.data && [[run.data, undefined]]);
  level.below ??= positionsBelow(level.field, level.targets, positionsIn(run, level.above));
  return level.below;
}

/** Drops objects that a null has cut off since they were gathered. */
function stillStanding(run: Run, level: Level, { plan, sources, targets }: Waiting): Waiting {
  const standing = positionsIn(run, level);
  const kept = targets.map((target) => isAttached(run.data, standing, target));
  return {
    plan,
    sources: sources.filter((_, index) => kept[index]),
    targets: targets.filter((_, index) => kept[index]),
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

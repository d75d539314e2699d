/**
 * Runs a plan: root calls together (a mutation's one after another), then, as soon as a field's own objects are there,
 * each field below them, one call of its resolver a level. What fails becomes null where the types allow it.
 */
import { type GraphQLError, getArgumentValues } from "graphql";
import type { Variables } from "./compile.ts";
import { complete } from "./complete.ts";
import type { FieldPlan, Gathered, OperationPlan, Target } from "./plan.ts";
import { bubble, isAttached, positions } from "./positions.ts";
import { compileProjection, type Projection } from "./project.ts";

export type Answer = { readonly data: Target | null; readonly errors: readonly GraphQLError[] };

type Run = {
  readonly plan: OperationPlan;
  readonly variables: Variables;
  readonly context: unknown;
  readonly errors: GraphQLError[];
  data: Target | null;
};

export async function runPlan(plan: OperationPlan, variables: Variables, context: unknown): Promise<Answer> {
  const data: Target = Object.create(null);
  const run: Run = { plan, variables, context, errors: [], data };
  for (const { key, source, parentType } of plan.root.fields)
    data[key] = source.kind === "typename" ? parentType.name : null;
  if (plan.serial) for (const field of plan.root.bound) await runField(run, field, [undefined], [data]);
  else await Promise.all(plan.root.bound.map((field) => runField(run, field, [undefined], [data])));
  return { data: run.data, errors: run.errors };
}

/** Calls the field for all parents of a level, completes its values, then runs what waits for them. */
async function runField(
  run: Run,
  field: FieldPlan,
  parents: readonly unknown[],
  targets: readonly Target[],
): Promise<void> {
  const values = await callResolver(run, field, parents);
  const gathered = project(field, values, targets) ?? completeExactly(run, field, values, targets);
  const next = gathered.flatMap((level) =>
    level && level.targets.length > 0
      ? level.plan.bound.map((bound) => runField(run, bound, level.sources, level.targets))
      : [],
  );
  if (next.length > 0) await Promise.all(next);
}

/** One value or Error a parent; never throws. */
async function callResolver(
  run: Run,
  field: FieldPlan,
  parents: readonly unknown[],
): Promise<readonly unknown[]> {
  const { source, nodes } = field;
  const node = nodes[0];
  try {
    const args =
      field.field.args.length > 0 && node ? getArgumentValues(field.field, node, run.variables as never) : {};
    if (source.kind === "level") return await source.resolve(parents, args, run.context);
    if (source.kind !== "call") return [];
    const calls = parents.map(async (parent) => source.resolve(parent, args, run.context, undefined));
    return (await Promise.allSettled(calls)).map((call) =>
      call.status === "fulfilled" ? call.value : asError(call.reason),
    );
  } catch (error) {
    return parents.map(() => asError(error));
  }
}

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`Unexpected error value: ${String(thrown)}`);

/** The fast way for a whole level; `undefined` if any of its values is not what it should be. */
function project(
  field: FieldPlan,
  values: readonly unknown[],
  targets: readonly Target[],
): Gathered | undefined {
  const gathered: Gathered = [];
  const projection = projectionOf(field);
  try {
    targets.forEach((target, index) => {
      const value = values[index];
      if (value instanceof Error) throw value;
      target[field.key] = projection(value, gathered);
    });
    return gathered;
  } catch {
    return undefined;
  }
}

/** The exact way for a whole level: errors with their paths, nulls that bubble; what a null cuts off is left alone. */
function completeExactly(
  run: Run,
  field: FieldPlan,
  values: readonly unknown[],
  targets: readonly Target[],
): Gathered {
  const gathered: Gathered = [];
  const standing = positionsOf(run);
  targets.forEach((target, index) => {
    const position = standing.get(target);
    if (!standing.has(target) || !isAttached(run.data, position, target)) return;
    try {
      const path = { up: position?.path, key: field.key };
      target[field.key] = complete({ errors: run.errors, gathered }, field, values[index], path);
    } catch (error) {
      run.errors.push(error as GraphQLError);
      if (!bubble(position)) run.data = null;
    }
  });
  return stillStanding(run, gathered);
}

const positionsOf = (run: Run): ReturnType<typeof positions> =>
  run.data ? positions(run.plan.root, run.data) : new Map();

/** Drops objects that a null has cut off since they were gathered. */
function stillStanding(run: Run, gathered: Gathered): Gathered {
  const standing = positionsOf(run);
  return gathered.map((level) => {
    if (!level) return undefined;
    const kept = level.targets.flatMap((target, index) => (standing.has(target) ? [index] : []));
    return {
      plan: level.plan,
      sources: kept.map((index) => level.sources[index]),
      targets: kept.map((index) => level.targets[index] as Target),
    };
  });
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

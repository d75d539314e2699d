/**
 * Completes the values of one field for all parents of a level (GraphQL spec §6.4.3). A long level is completed in pieces, so
 * that work for other callers can run in between.
 */
import { CodedError } from "../../coded-error.ts";
import type { ExecutionContext } from "../../rest/rest-context.ts";
import { FieldError } from "../errors/field-error.ts";
import type { Variables } from "../variables/coerce-variables.ts";
import type { ArgumentBudget } from "./argument-budget.ts";
import { compileProjection } from "./compile-projection.ts";
import { addError, type Completion, complete } from "./complete.ts";
import type { Deferral, Part } from "./deferral.ts";
import type { BoundFieldPlan, LevelParents, OperationPlan, ParentsByPlan, ResultMap } from "./plan.ts";
import { type Positions, positionsBelow, positionsInParts, propagateNull, rootOf } from "./positions.ts";
import { type ResponseBudget, ResponseTooLarge } from "./response-budget.ts";

export type Pieces = {
  /** Maximum number of parents per piece. */
  readonly size: number;
  /** Completes a piece, after waiting for the caller's turn if necessary. Charges the processor time to the caller. */
  readonly complete: (work: () => void) => void | Promise<void>;
  /** Runs work on the client's arguments. Charges the processor time to the caller. */
  readonly measured: <T>(work: () => T) => T;
};

export type PlanRun = {
  readonly plan: OperationPlan;
  readonly variables: Variables;
  readonly context: ExecutionContext;
  readonly errors: FieldError[];
  readonly budget: ResponseBudget;
  readonly argumentBudget: ArgumentBudget;
  readonly pieces: Pieces;
  /** Runs the deferred parts; undefined if the plan defers no part of the response. */
  readonly deferral: Deferral | undefined;
  data: ResultMap | null;
};

/** A field with its parents: all objects that the field above has returned. */
export type Level = {
  readonly field: BoundFieldPlan;
  /** The REST objects. `resultMaps` contains the response objects that were created from them, in the same order. */
  readonly parents: readonly unknown[];
  readonly resultMaps: readonly ResultMap[];
  readonly enclosing: LevelParents["enclosing"];
  /** The parent level, whose values contain this level's `resultMaps`; undefined at the operation's root. */
  readonly above: Level | undefined;
  /** Each parent's part, if the level completes deferred parts. `resultMaps` then contains the parts' wrappers. */
  readonly parts?: readonly Part[];
  /** The positions of the objects in this level's values. Computed only after a failure in a level below. */
  below?: Positions;
};

/** Returns the parents of the next levels; a promise if a piece has to wait. `around` holds each value's enclosing objects. */
export function completeLevel(
  run: PlanRun,
  level: Level,
  values: readonly unknown[],
  around: LevelParents["enclosing"],
): ParentsByPlan | Promise<ParentsByPlan> {
  let isExact = false;
  const nextParents: ParentsByPlan = [];
  const { size, complete } = run.pieces;
  const completeFrom = (start: number): ParentsByPlan | Promise<ParentsByPlan> => {
    if (start >= values.length)
      return isExact
        ? nextParents.map((parents) => parents && attachedParents(run, level, parents))
        : nextParents;
    const end = start + size;
    const piece: Piece = {
      field: level.field,
      above: level.above,
      parts: level.parts?.slice(start, end),
      values: values.slice(start, end),
      resultMaps: level.resultMaps.slice(start, end),
      enclosing: around.slice(start, end),
    };
    const completing = complete(() => {
      if (project(run, piece, nextParents)) return;
      isExact = true;
      completeExactly(run, piece, nextParents);
    });
    return completing ? completing.then(() => completeFrom(end)) : completeFrom(end);
  };
  return completeFrom(0);
}

/** A slice of a level: at most `Pieces.size` consecutive parents, with the field's value for each. */
type Piece = Pick<Level, "field" | "resultMaps" | "enclosing" | "above"> & {
  readonly parts: Level["parts"] | undefined;
  readonly values: readonly unknown[];
};

/** Completes a piece with the compiled projection. Returns `false` if the projection throws for one of the values. */
function project(
  { budget }: PlanRun,
  { field, resultMaps, values, enclosing }: Piece,
  nextParents: ParentsByPlan,
): boolean {
  const { left } = budget;
  field.projection ??= compileProjection(field);
  try {
    if (values.some((value) => value instanceof Error)) return false;
    field.projection(resultMaps, values, nextParents, budget, enclosing);
    return true;
  } catch (error) {
    if (error instanceof ResponseTooLarge) throw error;
    budget.left = left;
    return false;
  }
}

/** Completes a piece value by value, so that errors have paths and nulls propagate. Skips detached parents (`positions.ts`). */
function completeExactly(
  run: PlanRun,
  { field, resultMaps, values, enclosing, above, parts }: Piece,
  nextParents: ParentsByPlan,
): void {
  if (!run.plan.serial) for (const value of values) if (hasLeft(value)) throw value;
  const { errors, budget, deferral } = run;
  const completion: Completion = { errors, nextParents, budget, enclosing: undefined };
  const positions = parts ? undefined : positionsIn(run, above);
  resultMaps.forEach((resultMap, index) => {
    const part = parts?.[index];
    const root = part ? resultMap : positions && attachedRoot(run, positions, resultMap);
    if (!root) return;
    const position = positions?.get(resultMap);
    completion.enclosing = enclosing[index];
    completion.errors = deferral?.partOf(root)?.errors ?? errors;
    try {
      const path = part ? part.path : { up: position?.path, key: field.key };
      resultMap[field.key] = complete(completion, field, values[index], path);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      addError(completion, error);
      if (!propagateNull(position)) run.data = null;
    }
  });
}

/** Whether the value is the error of a REST call that was aborted because the client has disconnected. */
const hasLeft = (value: unknown): boolean =>
  value instanceof CodedError && value.code === "CLIENT_CLOSED_REQUEST";

/** Returns the positions of the objects in a level's values. Without a level, returns the position of the root. */
export function positionsIn(run: PlanRun, level: Level | undefined): Positions {
  if (!level) return new Map(run.data && [[run.data, undefined]]);
  level.below ??= level.parts
    ? positionsInParts(level.field, level.parts)
    : positionsBelow(level.field, level.resultMaps, positionsIn(run, level.above));
  return level.below;
}

/**
 * Returns the response data, or the wrapper of the deferred part, that contains the object; `undefined` for a detached object.
 */
function attachedRoot(run: PlanRun, positions: Positions, object: object): object | undefined {
  if (!positions.has(object)) return undefined;
  const root = rootOf(object, positions.get(object));
  return root && (root === run.data || run.deferral?.partOf(root)) ? root : undefined;
}

/** Removes detached parents, and those that a failed projection had added. */
function attachedParents(run: PlanRun, level: Level, parents: LevelParents): LevelParents {
  const positions = positionsIn(run, level);
  const kept = parents.resultMaps.map((resultMap) => attachedRoot(run, positions, resultMap) !== undefined);
  const isKept = (_: unknown, index: number): boolean | undefined => kept[index];
  return {
    plan: parents.plan,
    sources: parents.sources.filter(isKept),
    resultMaps: parents.resultMaps.filter(isKept),
    enclosing: parents.enclosing.filter(isKept),
  };
}

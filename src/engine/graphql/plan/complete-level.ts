/**
 * Completes the values of one field for a whole level of parents (GraphQL spec §6.4.3). A long level is completed in
 * pieces, so that the work of other callers comes between them.
 */
import { CodedError } from "../../errors.ts";
import type { AnyContext } from "../../rest/rest.ts";
import type { FieldError } from "../errors/field-error.ts";
import type { Variables } from "../variables/coerce-variables.ts";
import type { ArgumentBudget } from "./argument-budget.ts";
import { AnswerTooLarge, type Budget } from "./budget.ts";
import { compileProjection, type Projection } from "./compile-projection.ts";
import { type Completion, complete } from "./complete.ts";
import {
  type BoundFieldPlan,
  type FieldPlan,
  type LevelParents,
  type OperationPlan,
  type ParentsByPlan,
  type ResultMap,
  removeLastParent,
} from "./plan.ts";

/** How the values of a level are completed. */
export type Pieces = {
  /** The most parents of a piece. */
  readonly size: number;
  /** Completes a piece, perhaps once its caller may go on, and charges the processor time to the caller. */
  readonly complete: (work: () => void) => void | Promise<void>;
};

export type Run = {
  readonly plan: OperationPlan;
  readonly variables: Variables;
  readonly context: AnyContext;
  readonly budget: Budget;
  readonly argumentBudget: ArgumentBudget;
  readonly pieces: Pieces;
  /** The fields in whose values failures may stand. */
  readonly failed: Set<FieldPlan>;
  data: ResultMap | null;
  readonly errors: FieldError[];
};

/** One field of all parents that the field above has returned. */
export type Level = {
  readonly field: BoundFieldPlan;
  /** REST's objects, and the result maps made from them. */
  readonly parents: readonly unknown[];
  readonly resultMaps: readonly ResultMap[];
  readonly enclosing: LevelParents["enclosing"];
};

/**
 * Completes the values of all parents, and returns the parents of the levels below. `around` encloses each value. Returns a
 * promise if a piece has to wait.
 */
export function completeLevel(
  run: Run,
  { field, resultMaps }: Level,
  values: readonly unknown[],
  around: LevelParents["enclosing"],
): ParentsByPlan | Promise<ParentsByPlan> {
  const nextParents: ParentsByPlan = [];
  const { size, complete } = run.pieces;
  const completeFrom = (start: number): ParentsByPlan | Promise<ParentsByPlan> => {
    if (start >= values.length) return nextParents;
    const end = start + size;
    const piece: Piece = {
      field,
      values: values.slice(start, end),
      resultMaps: resultMaps.slice(start, end),
      enclosing: around.slice(start, end),
    };
    const completing = complete(() => {
      if (!project(run, piece, nextParents)) completeExactly(run, piece, nextParents);
    });
    return completing ? completing.then(() => completeFrom(end)) : completeFrom(end);
  };
  return completeFrom(0);
}

/** A part of a level's parents, and their values. */
type Piece = Pick<Level, "field" | "resultMaps" | "enclosing"> & {
  readonly values: readonly unknown[];
};

/** The fast way for a piece. Returns `false` if the projection refuses one of the values. */
function project(
  { budget }: Run,
  { field, resultMaps, values, enclosing }: Piece,
  nextParents: ParentsByPlan,
): boolean {
  const { left } = budget;
  const projection = projectionOf(field);
  const added = nextParents.map((parents) => parents?.sources.length);
  try {
    if (values.some((value) => value instanceof Error)) return false;
    projection(resultMaps, values, nextParents, budget, enclosing);
    return true;
  } catch (error) {
    if (error instanceof AnswerTooLarge) throw error;
    budget.left = left;
    for (const [id, parents] of nextParents.entries())
      while (parents && parents.sources.length > (added[id] ?? 0)) removeLastParent(parents);
    return false;
  }
}

/** Completes a piece exactly. A failure stands in the result map, and `settle` makes it an error. */
function completeExactly(
  run: Run,
  { field, resultMaps, values, enclosing }: Piece,
  nextParents: ParentsByPlan,
): void {
  if (!run.plan.serial) for (const value of values) if (hasLeft(value)) throw value;
  const completion: Completion = { nextParents, added: [], budget: run.budget, enclosing: undefined };
  for (const [index, resultMap] of resultMaps.entries()) {
    completion.enclosing = enclosing[index];
    resultMap[field.key] = complete(completion, field, values[index]);
  }
  run.failed.add(field);
}

/** Whether the value is the error of a call whose client has left. */
const hasLeft = (value: unknown): boolean =>
  value instanceof CodedError && value.code === "CLIENT_CLOSED_REQUEST";

const projections = new WeakMap<FieldPlan, Projection>();

function projectionOf(field: FieldPlan): Projection {
  let projection = projections.get(field);
  if (!projection) {
    projection = compileProjection(field);
    projections.set(field, projection);
  }
  return projection;
}

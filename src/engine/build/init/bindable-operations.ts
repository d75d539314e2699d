/**
 * Chooses the operations for which `init` proposes fields, so that a schema with all these fields binds without errors. First
 * binds all operations at once, and drops those whose field has an error. If other errors remain, bisects the operations to find
 * the cause, because a document may have thousands of operations.
 */
import { bindSdl } from "../bind/bind.ts";
import { boundFields, type Model } from "../bind/model.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { reachableFaults } from "../openapi/document-faults.ts";
import { isSafe, type RestOperation } from "../openapi/operation.ts";
import { placeholderSchema } from "../propose/empty-schema.ts";
import { Proposal } from "../propose/propose.ts";
import { fieldOf } from "../schema/schema-coordinate.ts";

type Operations = readonly RestOperation[];

/** A document bound to an empty schema, and the `operationId`s of POSTs that only read. */
export type ReadDocument = { readonly model: Model; readonly reads: ReadonlySet<string> };

export const isReadOperation = ({ reads }: ReadDocument, { id, method }: RestOperation): boolean =>
  isSafe(method) || reads.has(id);

/** Maximum number of rounds that drop operations with errors. Dropping some operations may reveal errors in others. */
const mostRounds = 5;

type Proposed = {
  readonly operations: Operations;
  readonly sdl: string;
  /** `undefined` if the schema is invalid. */
  readonly model: Model | undefined;
};

/** Returns the operations that bind together. Adds to `leftOut` why each of the others does not. */
export function proposeBindable(
  document: ReadDocument,
  operations: Operations,
  leftOut: Map<string, string>,
): Proposed {
  const all = proposed(document, operations);
  return all.errors.length === 0 ? all : proposed(document, bindable(document, operations, leftOut));
}

function bindable(
  document: ReadDocument,
  operations: Operations,
  leftOut: Map<string, string>,
): RestOperation[] {
  const faultOf = (some: Operations) => reachableFaults(document.model.document, some)[0]?.message;
  let left = withoutOwnErrors(operations, faultOf, leftOut);
  for (let round = 0; round < mostRounds; round++) {
    const reasons = reasonsByOperation(document, left);
    if (reasons.size === 0) break;
    for (const [id, reason] of reasons) leftOut.set(id, reason);
    left = left.filter(({ id }) => !reasons.has(id));
  }
  const firstError = (some: Operations): string | undefined => proposed(document, some).errors[0]?.message;
  const alone = withoutOwnErrors(left, firstError, leftOut);
  return firstError(alone) === undefined ? alone : together([], alone, firstError, leftOut);
}

type FirstError = (operations: Operations) => string | undefined;

/** Drops each operation for which `firstError`, given only this operation, returns an error. */
function withoutOwnErrors(
  operations: Operations,
  firstError: FirstError,
  leftOut: Map<string, string>,
): RestOperation[] {
  const error = operations.length === 0 ? undefined : firstError(operations);
  if (error === undefined) return [...operations];
  if (operations.length === 1) {
    leftOut.set(operations[0]?.id ?? "", error);
    return [];
  }
  return halves(operations).flatMap((half) => withoutOwnErrors(half, firstError, leftOut));
}

/** Returns `base` and the operations of `more` that bind together with it, found by bisection. */
function together(
  base: RestOperation[],
  more: Operations,
  firstError: FirstError,
  leftOut: Map<string, string>,
): RestOperation[] {
  const all = [...base, ...more];
  const error = more.length === 0 ? undefined : firstError(all);
  if (error === undefined) return all;
  if (more.length === 1) {
    leftOut.set(more[0]?.id ?? "", error);
    return base;
  }
  return halves(more).reduce<RestOperation[]>(
    (kept, half) => together(kept, half, firstError, leftOut),
    base,
  );
}

function halves(operations: Operations): [Operations, Operations] {
  const middle = Math.ceil(operations.length / 2);
  return [operations.slice(0, middle), operations.slice(middle)];
}

/** Returns the first error of each root field that has errors, by the `operationId` that the field calls. */
function reasonsByOperation(document: ReadDocument, operations: Operations): Map<string, string> {
  const { model: bound, errors } = proposed(document, operations);
  const ids = new Map(
    bound ? boundFields(bound).map(({ coordinate, operation }) => [coordinate, operation.id]) : [],
  );
  const reasons = new Map<string, string>();
  for (const { coordinate, message } of errors) {
    const id = ids.get(fieldOf(coordinate));
    if (id !== undefined && !reasons.has(id)) reasons.set(id, message);
  }
  return reasons;
}

/** Binds a schema with a field for each operation. */
function proposed(
  document: ReadDocument,
  operations: Operations,
): Proposed & { readonly errors: readonly Diagnostic[] } {
  const { model, reads } = document;
  const proposal = new Proposal(model, reads);
  for (const { id } of operations) proposal.add(id);
  const sdl = proposal.sdl("type");
  const isWithoutQuery = !operations.some((each) => isReadOperation(document, each));
  const least = isWithoutQuery ? `\n${placeholderSchema}` : "";
  const { model: bound, diagnostics } = bindSdl(model, sdl + least);
  if (!bound) return { operations, sdl, model: undefined, errors: diagnostics };
  const called = boundFields(bound).map(({ operation }) => operation);
  const errors = [...diagnostics, ...reachableFaults(model.document, called)].filter(
    ({ severity, coordinate }) => severity === "error" && coordinate !== "Query.nothing",
  );
  return { operations, sdl, model: bound, errors };
}

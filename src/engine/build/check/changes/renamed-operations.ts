/**
 * Corrects errors about unknown operation names. The proof assumes a misspelling and suggests a similar name. But an operation that
 * exists at the base was removed or renamed since.
 */
import type { Diagnostic } from "../../diagnostic.ts";
import { methodAndPath, operationLabel, type RestOperation } from "../../openapi/operation.ts";
import type { ValidProject } from "../../project/project.ts";

type Former = {
  readonly was: RestOperation;
  /** The operation that now has the same method and path. */
  readonly now: RestOperation | undefined;
};

function formerOperation(
  base: ValidProject,
  head: ValidProject,
  { rule, coordinate }: Diagnostic,
): Former | undefined {
  const field = rule === "operation-unknown" ? base.model.fields.get(coordinate) : undefined;
  if (field?.kind !== "bound") return undefined;
  const { operation: was } = field;
  const place = methodAndPath(was);
  return { was, now: [...head.model.operations.values()].find((each) => methodAndPath(each) === place) };
}

/** The new ids of operations that fields refer to by their names at the base. */
export const renamedOperations = (base: ValidProject, head: ValidProject): Set<string> =>
  new Set(head.diagnostics.flatMap((error) => formerOperation(base, head, error)?.now?.id ?? []));

export function withoutSuggestion(base: ValidProject, head: ValidProject, error: Diagnostic): Diagnostic {
  const former = error.isRemoved ? undefined : formerOperation(base, head, error);
  if (!former) return error;
  const { was, now } = former;
  const { rest: _, ...finding } = error;
  return now
    ? {
        ...finding,
        message: `${operationLabel(was)} is named "${now.id}" now`,
        hint: `write "${now.id}" in @rest`,
      }
    : {
        ...finding,
        message: `the document no longer has ${operationLabel(was)}`,
        hint: "remove the field, or bind it to another operation",
      };
}

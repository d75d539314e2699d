/**
 * The proof takes a name that it does not find for a misspelt one, and guesses. Where the base had the operation, it is gone,
 * or has another name.
 */
import type { Diagnostic } from "../../diagnostic.ts";
import { methodAndPath, operationLabel, type RestOperation } from "../../openapi/operation.ts";
import type { ValidProject } from "../../project/project.ts";

type Former = {
  readonly was: RestOperation;
  /** What stands at its method and path now. */
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

/** The ids of the operations that fields name as they were called at the base. */
export const renamedOperations = (base: ValidProject, head: ValidProject): Set<string> =>
  new Set(head.diagnostics.flatMap((error) => formerOperation(base, head, error)?.now?.id ?? []));

export function withoutSuggestion(base: ValidProject, head: ValidProject, error: Diagnostic): Diagnostic {
  const former = error.isRemoved ? undefined : formerOperation(base, head, error);
  if (!former) return error;
  const { was, now } = former;
  const { rest: _, ...told } = error;
  return now
    ? {
        ...told,
        message: `${operationLabel(was)} is named "${now.id}" now`,
        hint: `write "${now.id}" in @rest`,
      }
    : {
        ...told,
        message: `the document has no ${operationLabel(was)} any more`,
        hint: "remove the field, or bind it to another operation",
      };
}

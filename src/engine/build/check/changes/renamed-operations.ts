/**
 * Corrects errors about unknown operation names. An operation that exists in the base was renamed or removed, so the error's
 * suggestion of a similarly spelt name is wrong.
 */
import type { Diagnostic } from "../../diagnostic.ts";
import { operationLabel, type RestOperation } from "../../openapi/operation.ts";
import type { ValidProject } from "../../project/project.ts";
import { unreachableTypes } from "../../schema/object-types.ts";

type Former = {
  readonly was: RestOperation;
  /** The operation in the new document; `undefined` if it was removed. */
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
  return { was, now: head.model.operations.versionOf(was) };
}

/** Returns the new ids of renamed operations that fields still refer to by their old ids. */
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

const mostNamed = 5;

/** Advises the user to remove the fields of a removed operation, and the types that would become unreachable. */
export function removalHint(
  base: ValidProject,
  head: ValidProject,
  errors: readonly Diagnostic[],
): string | undefined {
  const gone = errors.filter((error) => {
    const former = error.isRemoved ? undefined : formerOperation(base, head, error);
    return former && !former.now;
  });
  if (gone.length === 0) return undefined;
  const { schema, federation } = head.model;
  const entities = federation?.keys.map(({ type }) => type);
  const unreached = new Set(unreachableTypes(schema, entities));
  const without = new Set(gone.map(({ coordinate }) => coordinate));
  const types = unreachableTypes(schema, entities, without).filter((type) => !unreached.has(type));
  const names = types.slice(0, mostNamed).map(({ name }) => name);
  if (types.length > mostNamed) names.push(`${types.length - mostNamed} more`);
  const below = names.length === 0 ? "" : ` with the types that nothing else reaches (${names.join(", ")})`;
  const [fields, them] = gone.length === 1 ? ["the field", "it"] : ["the fields", "them"];
  return `remove ${fields}${below}, or bind ${them} to another operation`;
}

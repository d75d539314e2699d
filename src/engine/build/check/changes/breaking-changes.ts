/**
 * Proof errors that the base did not have. If the schema is unchanged at their coordinate, the OpenAPI document caused them, and
 * all errors with the same cause are one finding. Approvable errors are reported separately, so that their fingerprint is the
 * same with and without a base.
 */

import { type Diagnostic, isApprovable } from "../../diagnostic.ts";
import type { ValidProject } from "../../project/project.ts";
import { definitionAt } from "../../schema/schema-coordinate.ts";
import { diagnosticFinding } from "../proof-findings.ts";
import type { Finding } from "../report.ts";
import { type Cause, causeKey, causeOfError } from "./causes.ts";
import type { Change } from "./change.ts";
import { withoutSuggestion } from "./renamed-operations.ts";
import { restFrames } from "./rest-frames.ts";

export type BreakingChange = {
  readonly cause: Cause;
  readonly errors: readonly [Diagnostic, ...Diagnostic[]];
  /** Changes of the same node that the proof does not detect. */
  readonly changes: Change[];
};

/** By the key of the causing node. */
export function findBreakingChanges(base: ValidProject, head: ValidProject): Map<string, BreakingChange> {
  const known = new Set(base.diagnostics.map(keyOf));
  const breaks = new Map<string, BreakingChange>();
  for (const error of head.diagnostics) {
    if (
      error.severity !== "error" ||
      isApprovable(error.rule) ||
      known.has(keyOf(error)) ||
      !isSaidAlike(base, head, error)
    )
      continue;
    const cause = causeOfError(base.model, head.model, error);
    if (!cause) continue;
    const key = causeKey(cause);
    const found = breaks.get(key);
    breaks.set(key, {
      cause: found?.cause ?? cause,
      errors: found ? [...found.errors, error] : [error],
      changes: [],
    });
  }
  return breaks;
}

export const breakingChangeAt = (
  breaks: ReadonlyMap<string, BreakingChange>,
  at: string,
): BreakingChange | undefined =>
  [...breaks.values()].find(({ errors }) => errors.some(({ coordinate }) => coordinate === at));

const keyOf = ({ rule, coordinate }: Diagnostic): string => JSON.stringify([rule, coordinate]);

/** Whether the schema is unchanged at the error's coordinate, or not involved. */
function isSaidAlike(base: ValidProject, head: ValidProject, { coordinate, schema }: Diagnostic): boolean {
  if (!schema) return true;
  const [was, is] = [base, head].map(({ model }) => definitionAt(model.schema, coordinate));
  return is !== undefined && was === is;
}

/** Removes duplicates: one schema may affect several parts of a value. */
export const eachOnce = (all: readonly Also[]): Also[] => [
  ...new Map(
    all.map(({ rule, coordinate, message }) => {
      const also = { rule, coordinate, message };
      return [JSON.stringify(also), also];
    }),
  ).values(),
];

type Also = NonNullable<Finding["also"]>[number];

export function breakingChangeFinding(
  base: ValidProject,
  head: ValidProject,
  { cause, errors, changes }: BreakingChange,
): Finding {
  const [lead, ...others] = errors;
  const finding = diagnosticFinding(head, withoutSuggestion(base, head, lead));
  const also = eachOnce([...others.map((error) => withoutSuggestion(base, head, error)), ...changes]);
  const frames = restFrames(base, head, cause.node, cause.node, cause.below).filter(
    ({ role }) => role !== "rest" || !lead.isRemoved,
  );
  const isThere = frames.some(({ role }) => role === "rest");
  return {
    ...finding,
    change: "breaking",
    coordinates: [...new Set([lead.coordinate, ...also.map(({ coordinate }) => coordinate)])],
    ...(also.length > 0 && { also }),
    places: [...finding.places.filter(({ role }) => role !== "rest" || !isThere), ...frames],
  };
}

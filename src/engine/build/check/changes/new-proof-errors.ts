/**
 * Finds proof errors that the base does not have, and new REST limits that the engine does not check before a call. Considers
 * only coordinates with an unchanged schema, because there the OpenAPI document caused the error. Errors with the same cause
 * become one finding. An error that can be approved stays a separate finding, so that its fingerprint is the same with and
 * without a base.
 */

import { isDeepStrictEqual } from "node:util";
import { membersOf } from "../../../shared/json-object.ts";
import { type Diagnostic, isApprovable } from "../../diagnostic.ts";
import { childValue } from "../../openapi/document.ts";
import type { ValidProject } from "../../project/project.ts";
import { definitionAt, fieldOf } from "../../schema/schema-coordinate.ts";
import { diagnosticFinding, isUncheckedLimit } from "../proof-findings.ts";
import type { Finding } from "../report.ts";
import { type Cause, causeKey, causeOfError } from "./causes.ts";
import type { Change } from "./change.ts";
import { addressOf } from "./operation-facts.ts";
import { messageWithoutSuggestion, removalMessage } from "./removed-names.ts";
import { removalHint, withoutSuggestion } from "./renamed-operations.ts";
import { restFrames } from "./rest-frames.ts";

export type Proof = Pick<ValidProject, "model" | "diagnostics">;

export type NewProofErrors = {
  readonly cause: Cause;
  readonly errors: readonly [Diagnostic, ...Diagnostic[]];
  /** Changes that have the same cause but produce no proof error. */
  readonly changes: Change[];
};

/**
 * Groups the new errors by cause. The key is a changed node, or a text for an edit that repeats across the document, such as a
 * renamed path parameter.
 */
export function findNewProofErrors(base: Proof, head: Proof): Map<string, NewProofErrors> {
  const known = new Set(base.diagnostics.map(keyOf));
  const proofErrors = new Map<string, NewProofErrors>();
  for (const error of head.diagnostics) {
    const isNew = isUncheckedLimit(error)
      ? isStricter(base, head, error)
      : error.severity === "error" && !isApprovable(error.rule) && !known.has(keyOf(error));
    if (!isNew || !isSchemaUnchanged(base, head, error)) continue;
    const cause = causeOfError(base.model, head.model, error);
    if (!cause) continue;
    const key = isUncheckedLimit(error)
      ? JSON.stringify([error.rule, error.facts, causeKey(cause)])
      : (renamedPathParameter(base, head, error) ?? envelopeAt(base, head, cause) ?? causeKey(cause));
    const found = proofErrors.get(key);
    proofErrors.set(key, {
      cause: found?.cause ?? cause,
      errors: found ? [...found.errors, error] : [error],
      changes: [],
    });
  }
  return proofErrors;
}

export const newProofErrorsAt = (
  proofErrors: ReadonlyMap<string, NewProofErrors>,
  at: string,
): NewProofErrors | undefined =>
  [...proofErrors.values()].find(({ errors }) => errors.some(({ coordinate }) => coordinate === at));

/** Whether a limit that the engine does not check is new, or stricter than in the base. */
function isStricter(base: Proof, head: Proof, { rule, coordinate, ...now }: Diagnostic): boolean {
  const same = base.diagnostics.filter((each) => each.rule === rule && each.coordinate === coordinate);
  if (same.some(({ facts }) => isDeepStrictEqual(facts, now.facts))) return false;
  const keyword = now.below?.[0] ?? "";
  const valueIn = ({ model }: Proof, { nodes }: Pick<Diagnostic, "nodes">): unknown =>
    nodes?.[0] && childValue(model.document.valueAt(nodes[0]), keyword);
  const is = valueIn(head, now);
  return !same.some((each) => each.below?.[0] === keyword && isRelaxed(keyword, valueIn(base, each), is));
}

/** Whether the keyword's new value accepts everything that the old value accepted. */
export function isRelaxed(keyword: string | number, was: unknown, is: unknown): boolean {
  if (typeof was === "number" && typeof is === "number")
    return keyword === "minProperties" ? is <= was : keyword === "maxProperties" && is >= was;
  if (keyword !== "anyOf" || !Array.isArray(was) || !Array.isArray(is)) return false;
  return was.every((one) => is.some((other) => isDeepStrictEqual(one, other)));
}

/** Returns `{old} to {new}` if the error names a path parameter that was renamed in an otherwise equal path. */
function renamedPathParameter(base: Proof, head: Proof, error: Diagnostic): string | undefined {
  const pathIn = ({ model }: Proof): string | undefined => {
    const field = model.fields.get(fieldOf(error.coordinate));
    return field?.kind === "bound" ? field.operation.path : undefined;
  };
  const was = pathIn(base);
  const is = pathIn(head);
  if (was === undefined || is === undefined || addressOf(was) !== addressOf(is)) return undefined;
  const old = was.match(/\{[^{}]*\}/g) ?? [];
  const now = is.match(/\{[^{}]*\}/g) ?? [];
  const renamed = old.findIndex((name, index) => {
    const names = [name, now[index]].map((each) => JSON.stringify(each?.slice(1, -1)));
    return name !== now[index] && names.some((each) => error.message.includes(each));
  });
  return renamed === undefined || renamed < 0 ? undefined : `${old?.[renamed]} to ${now?.[renamed]}`;
}

/** Returns `envelope data` if a property `data` now wraps the response's former schema, or `without envelope data`. */
function envelopeAt(base: Proof, head: Proof, { node, below }: Cause): string | undefined {
  const path = [...node.path, ...below];
  const schema = { file: node.file, path: path.slice(0, path.indexOf("content") + 3) };
  if (!path.includes("responses") || schema.path.at(-1) !== "schema") return undefined;
  const was = base.model.document.valueAt(schema);
  const is = head.model.document.valueAt(schema);
  const on = propertyThatIs(is, was);
  const off = propertyThatIs(was, is);
  return on === undefined ? off && `without envelope ${off}` : `envelope ${on}`;
}

/** Returns the property that has the given schema, in an object schema or in a member of its `allOf`. */
function propertyThatIs(object: unknown, schema: unknown): string | undefined {
  const { allOf } = membersOf(object);
  return [object, ...(Array.isArray(allOf) ? allOf : [])]
    .flatMap((each) => Object.entries(membersOf(membersOf(each).properties)))
    .find(([, each]) => isDeepStrictEqual(each, schema))?.[0];
}

const keyOf = ({ rule, coordinate }: Diagnostic): string => JSON.stringify([rule, coordinate]);

/** Whether the schema is unchanged at the error's coordinate. Returns `true` for an error without a location in the schema. */
function isSchemaUnchanged(base: Proof, head: Proof, { coordinate, schema }: Diagnostic): boolean {
  if (!schema) return true;
  const was = definitionAt(base.model.schema, coordinate);
  const is = definitionAt(head.model.schema, coordinate);
  return is !== undefined && was === is;
}

/** Removes duplicates, which arise if one REST schema describes several parts of a value. */
export const eachOnce = (all: readonly Also[]): Also[] => [
  ...new Map(
    all.map(({ rule, coordinate, message }) => {
      const also = { rule, coordinate, message };
      return [JSON.stringify(also), also];
    }),
  ).values(),
];

type Also = NonNullable<Finding["also"]>[number];

export function newProofErrorsFinding(
  base: ValidProject,
  head: ValidProject,
  { cause, errors, changes }: NewProofErrors,
): Finding {
  const [lead, ...others] = errors;
  const corrected = (error: Diagnostic): Diagnostic => {
    const { message, ...rest } = withoutSuggestion(base, head, error);
    return { ...rest, message: messageWithoutSuggestion(message) };
  };
  const removal = removalMessage(base, head, lead, cause);
  const found = diagnosticFinding(head, corrected(lead));
  const finding = removal === undefined ? found : { ...found, message: `${removal}: ${found.message}` };
  const also = eachOnce([...others.map(corrected), ...changes]);
  const { node, below } = cause;
  const frames = restFrames(base, head, { old: node, new: node, below }).filter(
    ({ role }) => role !== "rest" || !lead.isRemoved,
  );
  const isThere = frames.some(({ role }) => role === "rest");
  const hint = removalHint(base, head, errors);
  return {
    ...finding,
    ...(hint !== undefined && { hint }),
    severity: "error",
    change: "breaking",
    coordinates: [...new Set([lead.coordinate, ...also.map(({ coordinate }) => coordinate)])],
    ...(also.length > 0 && { also }),
    places: [...finding.places.filter(({ role }) => role !== "rest" || !isThere), ...frames],
  };
}

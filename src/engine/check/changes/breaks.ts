/**
 * The errors of the proof that the base did not have. Where the schema says the same at their coordinate, the OpenAPI
 * document broke them: all errors of one cause are one finding.
 */

import type { Diagnostic } from "../../diagnostic.ts";
import { nodeKey, type RestNode } from "../../openapi/document.ts";
import type { NodePath } from "../../openapi/yaml-file.ts";
import type { ValidProject } from "../../project/project.ts";
import { definitionAt } from "../../schema/coordinate-place.ts";
import { frameAt } from "../frame.ts";
import { diagnosticFinding } from "../proof.ts";
import type { Finding } from "../report.ts";
import { type Cause, causeOfError } from "./causes.ts";
import { withoutGuess } from "./former-operation.ts";
import { placeName } from "./place-name.ts";
import type { RestChange } from "./rest-change.ts";

type Break = {
  readonly cause: Cause;
  readonly errors: readonly [Diagnostic, ...Diagnostic[]];
  /** What no proof sees of the same node. */
  readonly changes: RestChange[];
};

/** By the key of the node that they come from. */
export function breaksOf(base: ValidProject, head: ValidProject): Map<string, Break> {
  const known = new Set(base.diagnostics.map(keyOf));
  const breaks = new Map<string, Break>();
  for (const error of head.diagnostics) {
    if (error.severity !== "error" || known.has(keyOf(error)) || !isSaidAlike(base, head, error)) continue;
    const cause = causeOfError(base.model, head.model, error);
    if (!cause) continue;
    const key = placeKey(cause.node, cause.below);
    const found = breaks.get(key);
    breaks.set(key, {
      cause: found?.cause ?? cause,
      errors: found ? [...found.errors, error] : [error],
      changes: [],
    });
  }
  return breaks;
}

export const breakAt = (breaks: ReadonlyMap<string, Break>, at: string): Break | undefined =>
  [...breaks.values()].find(({ errors }) => errors.some(({ coordinate }) => coordinate === at));

/** The key of the place below a node. */
export const placeKey = ({ file, path }: RestNode, below: NodePath): string =>
  nodeKey({ file, path: [...path, ...below], value: undefined });

const keyOf = ({ rule, coordinate }: Diagnostic): string => JSON.stringify([rule, coordinate]);

/** Whether the schema says the same at the error's coordinate, or has nothing to do with it. */
function isSaidAlike(base: ValidProject, head: ValidProject, { coordinate, schema }: Diagnostic): boolean {
  if (!schema) return true;
  const [was, is] = [base, head].map(({ model }) => definitionAt(model.schema, coordinate));
  return is !== undefined && was === is;
}

export const messageOf = ({ model: { document } }: ValidProject, { old, phrase }: RestChange): string =>
  `${placeName(document, old)} ${phrase}`;

/** One schema may change several parts of one value. */
export const eachOnce = (base: ValidProject, changes: readonly RestChange[]): Also[] => [
  ...new Map(
    changes.map((change) => {
      const { rule, coordinate } = change;
      const also = { rule, coordinate, message: messageOf(base, change) };
      return [JSON.stringify(also), also];
    }),
  ).values(),
];

type Also = NonNullable<Finding["also"]>[number];

export function breakFinding(
  base: ValidProject,
  head: ValidProject,
  { cause, errors, changes }: Break,
): Finding {
  const [lead, ...others] = errors;
  const finding = diagnosticFinding(head, withoutGuess(base, head, lead));
  const also = [
    ...others.map((error) => {
      const { rule, coordinate, message } = withoutGuess(base, head, error);
      return { rule, coordinate, message };
    }),
    ...eachOnce(base, changes),
  ];
  const [now, old] = [head, base].map(({ model: { document } }) =>
    document.has(cause.node) ? document.place(cause.node, ...cause.below) : undefined,
  );
  return {
    ...finding,
    change: "breaking",
    coordinates: [...new Set([lead.coordinate, ...also.map(({ coordinate }) => coordinate)])],
    ...(also.length > 0 && { also }),
    places: [
      ...finding.places.filter(({ role }) => role !== "rest" || !now),
      ...(now ? [frameAt(head, "rest", now)] : []),
      ...(old ? [frameAt(base, "base rest", old)] : []),
    ],
  };
}

/**
 * The data types for changes since the base that the proof does not detect: changes of REST and of the public schema. All other
 * changes (values that are removed, newly nullable, newly required, or of another type) appear as errors when the new document
 * is proved.
 */

import type { Direction, Model } from "../../bind/model.ts";
import type { NodePath } from "../../diagnostic.ts";
import { describeNode } from "../../openapi/describe-node.ts";
import { nodeKey, type RestNode } from "../../openapi/document.ts";
import { causeKey, causeOfChange } from "./causes.ts";
import { type ChangeClass, type changeRules, restRules, schemaRules } from "./change-catalogue.ts";

type RestRule = keyof typeof restRules;

/** A difference without its location. A message appends `phrase` to the description of the location. */
export type Differing = {
  readonly rule: RestRule;
  readonly class: Exclude<ChangeClass, "safe">;
  readonly phrase: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The path from the node to the difference. One of the two documents may lack the end of the path. */
  readonly below?: NodePath;
  /** Overrides `Change.cause`. */
  readonly cause?: string;
};

/** Creates a difference with the rule's default class, unless `more` sets another one. */
export const differing = (
  rule: RestRule,
  phrase: string,
  details: Omit<Differing, "rule" | "phrase" | "class"> & Partial<Pick<Differing, "class">>,
): Differing => ({
  rule,
  class: restRules[rule].classes[0] as Differing["class"],
  phrase,
  ...details,
});

/** A change at one coordinate. */
export type Change = {
  readonly rule: keyof typeof changeRules;
  readonly class: ChangeClass;
  readonly coordinate: string;
  /** The coordinates that operations select instead, if `coordinate` itself cannot be selected. */
  readonly reached?: readonly string[];
  readonly direction?: Direction | undefined;
  readonly message: string;
  /** Values that, with rule and coordinate, form the fingerprint of an approval. */
  readonly facts: readonly unknown[];
  /** Changes with the same rule and cause are one finding. */
  readonly cause: string;
  /** Key of the location in the OpenAPI document that caused the change. */
  readonly place?: string | undefined;
  /** The node in both documents. Undefined for a change of the GraphQL schema. */
  readonly rest?: { readonly old: RestNode; readonly new: RestNode; readonly below?: NodePath };
};

/** A change that clients may notice. */
export type Difference = Change & { readonly class: Exclude<ChangeClass, "safe"> };

export const isDifference = (change: Change): change is Difference => change.class !== "safe";

/** Creates a change of the schema, with the class of its rule. */
export const schemaChange = (
  rule: keyof typeof schemaRules,
  coordinate: string,
  message: string,
  ...facts: readonly [before: unknown, after: unknown]
): Change => ({
  rule,
  class: schemaRules[rule].classes[0],
  coordinate,
  message,
  facts,
  cause: JSON.stringify([coordinate, ...facts]),
});

/** `rest`: the node in both documents, or its nearest existing ancestor. */
type ChangeLocation = Pick<Change, "coordinate" | "direction"> & Required<Pick<Change, "rest">>;

export function restChange(
  base: Model,
  head: Model,
  found: Differing,
  { coordinate, direction, rest }: ChangeLocation,
): Difference {
  const { rule, class: kind, phrase, before, after, below } = found;
  // if a setting moved from the document's root to an operation, the change is reported at the operation
  const isOwnNow = rest.old.path.length === 0 && rest.new.path.length > 0;
  const [at, document] = isOwnNow ? [rest.new, head.document] : [rest.old, base.document];
  const facts = [nodeKey(at), before, after];
  const own = below && !direction ? { node: rest.new, below } : undefined;
  const cause = own ?? causeOfChange(base.document, head.document, rest.new);
  const place = cause && causeKey(cause);
  return {
    rule,
    class: kind,
    coordinate,
    direction,
    place,
    facts,
    message: `${describeNode(document, at)} ${phrase}`,
    cause: (direction && place) ?? found.cause ?? JSON.stringify(facts),
    rest: { ...rest, ...(below && { below }) },
  };
}

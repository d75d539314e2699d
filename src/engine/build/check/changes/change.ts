/**
 * The data types for changes after which the mapping is still valid. Other changes, such as a removed or newly nullable value,
 * cause proof errors.
 */

import type { Direction, Model } from "../../bind/model.ts";
import type { NodePath } from "../../diagnostic.ts";
import { describeNode } from "../../openapi/describe-node.ts";
import { nodeKey, type RestNode } from "../../openapi/document.ts";
import { causeKey, causeOfChange } from "./causes.ts";
import { type ChangeClass, type changeRules, restRules, schemaRules } from "./change-catalogue.ts";

type RestRule = keyof typeof restRules;

/**
 * A difference between two versions of a schema or fact, without its location. The finding's message describes the location and
 * continues with `phrase`.
 */
export type Differing = {
  readonly rule: RestRule;
  readonly class: Exclude<ChangeClass, "safe">;
  readonly phrase: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The path from the node to the difference, which may exist in only one of the two documents. */
  readonly below?: NodePath;
  /** Replaces the default `Change.cause`. */
  readonly cause?: string;
};

/** `class` defaults to the first class of the rule. */
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

export type Change = {
  readonly rule: keyof typeof changeRules;
  readonly class: ChangeClass;
  readonly coordinate: string;
  /** Coordinates that operations select instead of `coordinate`, such as the fields of an input type. */
  readonly reached?: readonly string[];
  readonly direction?: Direction | undefined;
  readonly message: string;
  /** The finding's fingerprint consists of the rule, the coordinate and these values. */
  readonly facts: readonly unknown[];
  /** Changes with the same rule and cause become one finding. */
  readonly cause: string;
  /** The key of the OpenAPI node that caused the change. */
  readonly place?: string | undefined;
  /** The changed node in the old and the new document; `undefined` for a change of the GraphQL schema. */
  readonly rest?: { readonly old: RestNode; readonly new: RestNode; readonly below?: NodePath };
};

export type Difference = Change & { readonly class: Exclude<ChangeClass, "safe"> };

export const isDifference = (change: Change): change is Difference => change.class !== "safe";

/** Creates a change with the default class of its rule. */
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

/** `rest` contains the changed node, or its nearest existing ancestor, in the old and the new document. */
type ChangeLocation = Pick<Change, "coordinate" | "direction"> & Required<Pick<Change, "rest">>;

export function restChange(
  base: Model,
  head: Model,
  found: Differing,
  { coordinate, direction, rest }: ChangeLocation,
): Difference {
  const { rule, class: kind, phrase, before, after, below } = found;
  // if the operation now has its own value of a root-level setting such as `security`, the change is reported at the operation
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

/**
 * What no proof sees of the step from the base, as data: what REST says otherwise, and what clients see of the schema. The
 * proof of the new document tells all else: what is gone, null, of another type, or demanded now.
 */

import type { Direction, Model } from "../../bind/model.ts";
import type { NodePath } from "../../diagnostic.ts";
import { nodeKey, type RestNode } from "../../openapi/document.ts";
import { causeKey, causeOfChange } from "./causes.ts";
import { type ChangeClass, type changeRules, restRules, schemaRules } from "./change-rules.ts";
import { describeNode } from "./describe-node.ts";

type RestRule = keyof typeof restRules;

/** What differs, without its place. `phrase` follows the name of the place in messages. */
export type Differing = {
  readonly rule: RestRule;
  readonly class: Exclude<ChangeClass, "safe">;
  readonly phrase: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The path from the node down to the difference. A document may hold only the start of the path. */
  readonly below?: NodePath;
  /** As in `Change`. */
  readonly cause?: string;
};

/** A difference of the rule's usual class, unless another is given. */
export const differing = (
  rule: RestRule,
  phrase: string,
  before: unknown,
  after: unknown,
  more?: Partial<Pick<Differing, "class" | "below" | "cause">>,
): Differing => ({
  rule,
  class: restRules[rule].classes[0] as Differing["class"],
  phrase,
  before,
  after,
  ...more,
});

/** A difference for one coordinate. */
export type Change = {
  readonly rule: keyof typeof changeRules;
  readonly class: ChangeClass;
  readonly coordinate: string;
  /** The coordinates that an operation selects, if it cannot select the first one. */
  readonly reached?: readonly string[];
  readonly direction?: Direction | undefined;
  readonly message: string;
  /** What an approval settles, beside the rule and the coordinate. */
  readonly facts: readonly unknown[];
  /** Changes of one rule and one cause are one finding. */
  readonly cause: string;
  /** The place of REST's document that it comes from, by its key. */
  readonly place?: string | undefined;
  /** The node in both documents. Absent: the schema changed. */
  readonly rest?: { readonly old: RestNode; readonly new: RestNode; readonly below?: NodePath };
};

/** A change that clients may see. */
export type Difference = Change & { readonly class: Exclude<ChangeClass, "safe"> };

export const isDifference = (change: Change): change is Difference => change.class !== "safe";

/** A change of the schema, of its rule's class. */
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

/** A difference at its place. `old`, `new`: the node in both documents; where the new one is missing, the nearest one above it. */
export function restChange(
  base: Model,
  head: Model,
  coordinate: string,
  found: Differing,
  rest: NonNullable<Change["rest"]>,
  direction?: Direction,
): Difference {
  const { rule, class: kind, phrase, before, after, below } = found;
  // what the whole document stated, and an operation states for itself now, changed at the operation
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

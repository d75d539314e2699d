/**
 * What REST says otherwise than at the base and no proof sees, as data. The proof of the new document tells all else: what
 * is gone, null, of another type, or demanded now.
 */
import type { Direction } from "../../bind/model.ts";
import type { RestNode } from "../../openapi/document.ts";
import type { NodePath } from "../../openapi/yaml-file.ts";
import { type ChangeClass, restRules } from "./change-rules.ts";

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
};

/** A difference of the rule's usual class, unless another is given. */
export const differing = (
  rule: RestRule,
  phrase: string,
  before: unknown,
  after: unknown,
  more?: Partial<Pick<Differing, "class" | "below">>,
): Differing => ({
  ...{ rule, class: restRules[rule].classes[0] as Differing["class"], phrase, before, after, ...more },
});

/** A difference at its place, for one coordinate. */
export type RestChange = Differing & {
  readonly coordinate: string;
  readonly direction?: Direction;
  /** The node in the old and in the new document. Where the new one is missing: the nearest node above it. */
  readonly old: RestNode;
  readonly new: RestNode;
  /** The key of the place that a value differs at. Changes of one cause are one finding. */
  readonly cause?: string;
};

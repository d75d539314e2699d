/** Where two schemas are compared, in which direction, and what a comparison says there. */
import type { Direction } from "../spec/model.ts";
import type { RestNode } from "../spec/rest-document.ts";
import type { Shape } from "../spec/shape.ts";
import type { RestChange } from "./rest-change.ts";

/** A schema where it is used: by a property, a parameter, a body, the items of a list. */
export type Use = { readonly node: RestNode; readonly shape: Shape; readonly required: boolean };

/** A schema that no property or parameter holds: its use says nothing of its own. */
export const alone = (shape: Shape): Use => ({ node: shape.node, shape, required: true });

/** What a comparison says at one spot; the class depends on the direction. */
export type Spot = {
  readonly at: string;
  readonly direction: Direction;
  readonly old: Use;
  readonly new: Use;
};

/** A change without its place. */
export type Facet = Pick<RestChange, "rule" | "class" | "message" | "before" | "after" | "below">;

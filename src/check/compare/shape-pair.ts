/** The old and the new schema of one place in the OpenAPI document, which a shape comparison holds against each other. */
import type { Direction } from "../../bind/model.ts";
import type { RestNode } from "../../openapi/document.ts";
import type { Shape } from "../../openapi/shapes/shape.ts";
import type { RestChange } from "./rest-change.ts";

/** A schema and the node that uses it: a property, a parameter, a body. */
export type ShapeUse = { readonly node: RestNode; readonly shape: Shape; readonly required: boolean };

/** A schema without a property or parameter of its own: list items, responses, members of a `oneOf`. */
export const standaloneUse = (shape: Shape): ShapeUse => ({ node: shape.node, shape, required: true });

/** The name of a place: `schema Thing` for a component of the document, the path to it for any other place. */
export function placeName({ path: [first, kind, name, ...below] }: RestNode, otherwise: string): string {
  const isComponent = first === "components" && name !== undefined && below.length === 0;
  const noun =
    isComponent && (kind === "schemas" ? "schema" : kind === "parameters" ? "parameter" : undefined);
  return noun ? `${noun} ${name}` : otherwise;
}

export type ShapePair = {
  /** The place as messages name it: `GET /things answer.items`, or `schema Thing.name` inside a shared schema. */
  readonly at: string;
  /** The direction decides the class of a change. */
  readonly direction: Direction;
  readonly old: ShapeUse;
  readonly new: ShapeUse;
};

/** A change of the pair's schema; the comparison adds the place. */
export type ShapeChange = Pick<RestChange, "rule" | "class" | "message" | "before" | "after" | "below">;

/** The old and the new schema of one place in the OpenAPI document, which a shape comparison holds against each other. */
import type { Direction } from "../../bind/model.ts";
import { nodeKey, type RestNode, refOf } from "../../openapi/document.ts";
import type { Property, Shape } from "../../openapi/shapes/shape.ts";
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
  /** Who rests on the value's absence: a request that must have it now reaches them too. */
  readonly holder?: Pick<RestChange, "joins" | "operations">;
};

/** The place of both schemas. Undefined if the use refers to another schema now: that changes no other use of the old one. */
export function commonPlace({ at, old, new: now }: ShapePair): string | undefined {
  const place = placeName(old.shape.node, at);
  return place === placeName(now.shape.node, at) ? place : undefined;
}

/** Two pairs with one key have the same changes. `ofUse`: the changes are those of the use alone. */
export const pairKey = ({ direction, old, new: now }: ShapePair, ofUse: boolean): string =>
  [direction, old.shape.identity.text, now.shape.identity.text, ofUse ? nodeKey(old.node) : ""].join(" ");

/** A change of the pair's schema; the comparison adds the place. `joins` and `operations`: who is reached beside the pair. */
export type ShapeChange = Pick<RestChange, "rule" | "class" | "message" | "before" | "after" | "below"> &
  Partial<Pick<RestChange, "joins" | "operations">>;

export const declaredProperties = ({ properties }: Shape): ReadonlyMap<string, Property> =>
  new Map([...properties].filter(([, { isUndeclared }]) => !isUndeclared));

/** A `$ref` without keywords of its own beside it. */
export const isReference = ({ value }: RestNode): boolean =>
  refOf(value) !== undefined && Object.keys(value as object).length === 1;

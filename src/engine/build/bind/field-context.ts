/** A field while its binding is checked: its definition, its directive, its operation, its parent's shape, its places, and the binder. */
import type { GraphQLArgument, GraphQLField } from "graphql";
import type { RestOperation } from "../openapi/operation.ts";
import type { Shape } from "../openapi/shapes/shape.ts";
import { type DirectiveCarrier, directivePlace, placeOf, type RestDirective } from "../schema/directives.ts";
import type { Binder } from "./binder.ts";
import type { Where } from "./findings.ts";
import type { InputSlots } from "./inputs/input-slots.ts";
import type { Backing } from "./model.ts";

export type FieldInProgress = {
  readonly binder: Binder;
  /** The object type that has the field. */
  readonly type: string;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly directive: RestDirective;
  /** By name: a field may have thousands. */
  readonly argumentsByName: ReadonlyMap<string, GraphQLArgument>;
  readonly operation: RestOperation;
  readonly slots: InputSlots;
  readonly parent: Shape | undefined;
  /** The REST objects of the enclosing types that `params` names. */
  readonly enclosing: ReadonlyMap<string, Backing>;
  readonly where: Where;
};

/** The field, at an argument of its `@rest`, or at an item of one. */
export const atRest = (
  { where, definition }: { readonly where: Where; readonly definition: DirectiveCarrier },
  argument: keyof RestDirective,
  index?: number,
): Where => ({ ...where, schema: directivePlace(definition, "rest", argument, index) });

/** An argument of a field. */
export const atArgument = ({ coordinate }: Where, { name, astNode }: GraphQLArgument): Where => ({
  coordinate: `${coordinate}(${name}:)`,
  schema: placeOf(astNode),
});

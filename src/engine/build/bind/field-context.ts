/**
 * What the functions that bind a field need: its definition, directive and operation, the shape of its parent, locations for
 * findings, and the binder.
 */
import type { GraphQLArgument, GraphQLField } from "graphql";
import type { RestOperation } from "../openapi/operation.ts";
import type { Shape } from "../openapi/shapes/shape.ts";
import {
  type DirectiveCarrier,
  directiveLocation,
  nodeLocation,
  type RestDirective,
} from "../schema/directives.ts";
import type { Binder } from "./binder.ts";
import type { FindingTarget } from "./findings.ts";
import type { InputSlots } from "./inputs/input-slots.ts";
import type { Backing } from "./model.ts";

/** A field, and one REST object that its type is read from. A field of a root type has no REST object. */
export type FieldOfParent = {
  /** The object type that has the field. */
  readonly type: string;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly parent?: Backing;
};

export type FieldContext = {
  readonly binder: Binder;
  /** The object type that has the field. */
  readonly type: string;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly directive: RestDirective;
  /** Indexed by name, because a field may have thousands of arguments. */
  readonly argumentsByName: ReadonlyMap<string, GraphQLArgument>;
  readonly operation: RestOperation;
  readonly slots: InputSlots;
  readonly parent: Shape | undefined;
  /** By enclosing type that `params` names, such as `Account`: its REST object. */
  readonly enclosing: ReadonlyMap<string, Backing>;
  readonly where: FindingTarget;
};

/** The location of an argument of the field's `@rest`, or of the list item with this index in it. */
export const atRestDirective = (
  { where, definition }: { readonly where: FindingTarget; readonly definition: DirectiveCarrier },
  argument: keyof RestDirective,
  index?: number,
): FindingTarget => ({ ...where, schema: directiveLocation(definition, "rest", argument, index) });

/** The location of a field's argument. */
export const atArgument = (
  { coordinate }: FindingTarget,
  { name, astNode }: GraphQLArgument,
): FindingTarget => ({
  coordinate: `${coordinate}(${name}:)`,
  schema: nodeLocation(astNode),
});

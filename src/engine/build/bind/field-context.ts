/** The context that all functions for binding a field share. */
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

/** A field, and one REST object (`parent`) from which its type is read. Root types are not read from REST objects. */
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
  /** The REST objects of the enclosing types that `params` names, by type (`Account`). */
  readonly enclosing: ReadonlyMap<string, Backing>;
  readonly where: FindingTarget;
};

/** Returns the location of an argument of the field's `@rest`, or of the item `index` in the argument's list. */
export const atRestDirective = (
  { where, definition }: { readonly where: FindingTarget; readonly definition: DirectiveCarrier },
  argument: keyof RestDirective,
  index?: number,
): FindingTarget => ({ ...where, schema: directiveLocation(definition, "rest", argument, index) });

export const atArgument = (
  { coordinate }: FindingTarget,
  { name, astNode }: GraphQLArgument,
): FindingTarget => ({
  coordinate: `${coordinate}(${name}:)`,
  schema: nodeLocation(astNode),
});

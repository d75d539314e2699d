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

/** `parent`: one of the REST schemas of the type that has the field; absent for root types. */
export type FieldOfParent = {
  /** Name of the object type that has the field. */
  readonly type: string;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly parent?: Backing;
};

export type FieldContext = {
  readonly binder: Binder;
  /** Name of the object type that has the field. */
  readonly type: string;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly directive: RestDirective;
  readonly argumentsByName: ReadonlyMap<string, GraphQLArgument>;
  readonly operation: RestOperation;
  readonly slots: InputSlots;
  readonly parent: Shape | undefined;
  /** Object type → its REST schema, for sources such as `Account.id`. */
  readonly enclosing: ReadonlyMap<string, Backing>;
  readonly where: FindingTarget;
};

/** Locates an argument of the field's `@rest`, or the item at `index` of a list argument. */
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

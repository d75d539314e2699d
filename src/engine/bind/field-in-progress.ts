/** A field while its binding is checked: its definition, its directive, its operation and its parent's shape. */
import type { GraphQLArgument, GraphQLField } from "graphql";
import type { RestOperation } from "../openapi/operation.ts";
import type { Shape } from "../openapi/shapes/shape.ts";
import type { RestDirective } from "../schema/directives.ts";
import type { Where } from "./findings.ts";
import type { InputSlots } from "./inputs/input-slots.ts";
import type { Backing } from "./model.ts";

export type FieldInProgress = {
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

/** A field while it is bound: its directive, its operation and its parent. */
import type { GraphQLField } from "graphql";
import type { RestDirective } from "./directives.ts";
import type { Where } from "./findings.ts";
import type { RestOperation } from "./operations.ts";
import type { Shape } from "./shape.ts";

export type Bound = {
  readonly field: GraphQLField<unknown, unknown>;
  readonly directive: RestDirective;
  readonly operation: RestOperation;
  readonly parent: Shape | undefined;
  readonly where: Where;
};

/** A REST value as a field sees it. `optional`: it may be missing. `expression`: its TypeScript type. */
export type Value = { readonly shape: Shape; readonly optional: boolean; readonly expression: string };

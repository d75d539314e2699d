/**
 * A plan: what an operation selects, resolved once against the schema (GraphQL spec §6.3). Its fields are read by the
 * projection (fast), by the completion (exact, with errors) and by the scheduler. Pure data.
 */
import type { FieldNode, GraphQLField, GraphQLObjectType } from "graphql";

type Resolver = (parent: unknown, args: unknown, context: unknown, info: unknown) => unknown;

export type LevelResolver = (
  parents: readonly unknown[],
  args: unknown,
  context: unknown,
) => Promise<readonly unknown[]>;

/** How a field's value is found. */
export type Source =
  | { readonly kind: "typename" }
  | { readonly kind: "property"; readonly name: string }
  | { readonly kind: "itself" }
  | { readonly kind: "call"; readonly resolve: Resolver }
  | { readonly kind: "level"; readonly resolve: LevelResolver };

export type FieldPlan = {
  /** The key in the answer: alias or name. */
  readonly key: string;
  readonly parentType: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly nodes: readonly FieldNode[];
  readonly source: Source;
  /** The selection on each object type that the value may have; empty for a leaf. */
  readonly selections: ReadonlyMap<string, ObjectPlan>;
};

export type ObjectPlan = {
  /** Numbers the plan's objects, so that what waits for a call is gathered in an array. */
  readonly id: number;
  readonly type: GraphQLObjectType;
  readonly fields: readonly FieldPlan[];
  /** Those of them that make REST calls, once this object is there. */
  readonly bound: readonly FieldPlan[];
};

/** What an object takes in the answer beside its strings: its keys, their quotes and colons, short values. */
export const bytesOf = ({ fields }: ObjectPlan): number =>
  fields.reduce((sum, { key }) => sum + key.length + 8, 2);

export type OperationPlan = {
  readonly root: ObjectPlan;
  readonly serial: boolean;
  /** How many fields all its objects have. */
  readonly size: number;
};

/** Parents and their answers' objects, gathered while a level is projected. */
export type Waiting = { readonly plan: ObjectPlan; readonly sources: unknown[]; readonly targets: Target[] };

export type Target = Record<string, unknown>;

/** Gathers by `ObjectPlan.id`. */
export type Gathered = (Waiting | undefined)[];

export function gather(gathered: Gathered, plan: ObjectPlan, source: unknown, target: Target): void {
  const waiting = gathered[plan.id] ?? { plan, sources: [], targets: [] };
  gathered[plan.id] = waiting;
  waiting.sources.push(source);
  waiting.targets.push(target);
}

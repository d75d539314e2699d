/**
 * A plan is an operation's selection, resolved once against the schema (GraphQL spec §6.3). A plan is plain data. `runPlan`
 * runs it. Projections complete values fast, and `complete` completes values with errors.
 */
import type { DirectiveNode, FieldNode, GraphQLError, GraphQLField, GraphQLObjectType } from "graphql";
import { type Enclosing, markOfArgument } from "../../rest/inherited-values.ts";
import type { PlainSource } from "../../rest/property.ts";
import type { ExecutionContext } from "../../rest/rest-context.ts";
import type { Args } from "../errors/argument-check.ts";
import type { FieldError } from "../errors/field-error.ts";
import type { ResponseBudget } from "./response-budget.ts";

/**
 * Resolves a field for all parents of a level, and returns a value, null or an Error for each parent. For a single parent, the
 * function can return `[value]` or `[promise]` without a promise around the list, which is faster.
 */
export type ResolveLevel<Context = ExecutionContext> = (
  parents: readonly unknown[],
  args: Args,
  context: Context,
  enclosing: readonly (Enclosing | undefined)[],
) => Promise<readonly unknown[]> | readonly [unknown];

/** The source of a field that calls REST. The call starts when the parent object is complete. */
export type CallSource = {
  readonly kind: "call";
  readonly resolve: ResolveLevel;
  /** Replaces the REST names in an error by the names in the schema. */
  readonly named?: ((error: Error) => Error) | undefined;
};

type FieldSource = { readonly kind: "typename" } | PlainSource | CallSource;

export type PlannedResolver = {
  readonly source: PlainSource | CallSource;
  /** The enclosing types and arguments (`markOfArgument`) whose values the resolver uses. */
  readonly inherits?: readonly string[];
};

export type FieldPlan = {
  /** The response key: alias or name. */
  readonly key: string;
  readonly parentType: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly nodes: readonly FieldNode[];
  readonly source: FieldSource;
  /**
   * The list levels at which the GraphQL type allows null, but REST must not send it (`@semanticNonNull`). Level 0 is the
   * field's value itself, and level 1 is an item of its list. A null at these levels is reported as an error of REST.
   */
  readonly neverNull: readonly number[];
  /** The selection for each possible object type of the value; empty for a leaf. */
  readonly selections: ReadonlyMap<string, ObjectPlan>;
  /** Names of the arguments of this field that fields below it use too. */
  readonly inherited: readonly string[];
  /** Compiled when the field is completed for the first time. */
  projection: Projection | undefined;
  /** The locations of the nodes. Computed at the first error, because the computation scans the document from its start. */
  locations: FieldError["locations"];
};

/** Completes a field's value for each result map. Throws `ResponseTooLarge`, or an error for an unexpected value. */
export type Projection = (
  resultMaps: readonly ResultMap[],
  values: readonly unknown[],
  nextParents: ParentsByPlan,
  budget: ResponseBudget,
  /** The enclosing objects of each result map, if a field below the values uses them. */
  enclosing: readonly (Enclosing | undefined)[],
) => void;

export type BoundFieldPlan = FieldPlan & { readonly source: CallSource };

/** A `@defer` directive in the selection of an object. */
export type DeferUsage = {
  readonly label: string | undefined;
  readonly directive: DirectiveNode;
  readonly parent: DeferUsage | undefined;
};

/** The plan of an object's fields that the same `@defer` directives defer. */
export type DeferredPlan = {
  readonly usages: readonly DeferUsage[];
  /** An artificial field whose value is the parent object itself. Its selection contains the deferred fields. */
  readonly field: BoundFieldPlan;
};

/** The key of a deferred part's data in its wrapper. */
export const deferredKey = "data";

export type ObjectPlan = {
  /** The index of this object plan in `ParentsByPlan`. */
  readonly id: number;
  readonly type: GraphQLObjectType;
  readonly fields: readonly FieldPlan[];
  /** The `fields` that call REST after this object is complete. */
  readonly bound: readonly BoundFieldPlan[];
  /** Present if `@defer` is in the selection or encloses part of it. */
  readonly deferral?: {
    readonly plans: readonly DeferredPlan[];
    /** The `@defer` directives in this selection. */
    readonly introduces: readonly DeferUsage[];
  };
  /** The `inherits` of all resolvers of this object's fields and of the fields below; absent if there are none. */
  readonly inherits?: ReadonlySet<string>;
  /** Set if a condition of `@skip` or `@include` is null: each object of this plan then fails (GraphQL spec §6.4.1). */
  readonly fault?: GraphQLError;
};

/** Whether objects of this plan have fields that call REST or are deferred. These fields are completed in a further level. */
export const hasLevels = ({ bound, deferral }: ObjectPlan): boolean =>
  bound.length > 0 || deferral !== undefined;

/** Estimates the bytes of an object's keys, quotes, colons and short values, without its strings. */
export const objectBytes = ({ fields }: ObjectPlan): number =>
  fields.reduce((sum, { key }) => sum + key.length + 8, 2);

export type OperationPlan = {
  readonly root: ObjectPlan;
  readonly serial: boolean;
  readonly defers: boolean;
  /** The number of fields in all object plans. */
  readonly size: number;
  /** Whether the operation selects introspection fields. The plan of such an operation contains values of variables. */
  readonly introspects: boolean;
};

/** Parents of the next level that share an object plan: the REST objects, and the result maps that were created from them. */
export type LevelParents = {
  readonly plan: ObjectPlan;
  readonly sources: unknown[];
  readonly resultMaps: ResultMap[];
  /** For each parent, the nearest object whose values are used: the parent or one around it. Empty without `inherits`. */
  readonly enclosing: (Enclosing | undefined)[];
};

export type ResultMap = Record<string, unknown>;

/** The parents of the next level, by `ObjectPlan.id`. */
export type ParentsByPlan = (LevelParents | undefined)[];

/** `enclosing` is ignored unless the plan has `inherits`. */
export function addParent(
  nextParents: ParentsByPlan,
  plan: ObjectPlan,
  source: unknown,
  resultMap: ResultMap,
  enclosing?: Enclosing,
): void {
  const parents = nextParents[plan.id] ?? { plan, sources: [], resultMaps: [], enclosing: [] };
  nextParents[plan.id] = parents;
  parents.sources.push(source);
  parents.resultMaps.push(resultMap);
  if (plan.inherits) parents.enclosing.push(enclosing);
}

/** Returns `above`, extended by the arguments of this field that fields below it use. */
export const enclosingWithArguments = (
  { inherited }: FieldPlan,
  args: unknown,
  above: Enclosing | undefined,
): Enclosing | undefined =>
  inherited.reduce<Enclosing | undefined>(
    (around, name) => ({ type: markOfArgument(name), object: args, above: around }),
    above,
  );

/** Adds `object` to `above` if a field below it uses values of its type. */
export const enclosingWith = (
  { inherits, type }: ObjectPlan,
  object: unknown,
  above: Enclosing | undefined,
): Enclosing | undefined => (inherits?.has(type.name) ? { type: type.name, object, above } : above);

export const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`Unexpected error value: ${String(thrown)}`);

/**
 * A plan is an operation's selection, resolved once against the schema (GraphQL spec §6.3). It is plain data, which the
 * projection (fast), the completion (exact, with errors) and `runPlan` use.
 */
import type { DirectiveNode, FieldNode, GraphQLError, GraphQLField, GraphQLObjectType } from "graphql";
import { type Enclosing, markOfArgument } from "../../rest/inherited-values.ts";
import type { PlainSource } from "../../rest/property.ts";
import type { ExecutionContext } from "../../rest/rest-context.ts";
import type { Args } from "../errors/argument-check.ts";
import type { FieldError } from "../errors/field-error.ts";
import type { ResponseBudget } from "./response-budget.ts";

/**
 * Resolves a field for all parents of a level: a value, null or an Error for each. For a single parent, it may return `[value]`
 * or `[promise]` instead of a promise of the list, which saves a promise.
 */
export type ResolveLevel<Context = ExecutionContext> = (
  parents: readonly unknown[],
  args: Args,
  context: Context,
  enclosing: readonly (Enclosing | undefined)[],
) => Promise<readonly unknown[]> | readonly [unknown];

/** A field that calls REST once its object is complete. */
export type CallSource = {
  readonly kind: "call";
  readonly resolve: ResolveLevel;
  /** Translates the REST names in an error to the schema's names. */
  readonly named?: ((error: Error) => Error) | undefined;
};

/** The source of a field's value. */
type FieldSource = { readonly kind: "typename" } | PlainSource | CallSource;

/** A resolver of the executable schema, as plans use it. */
export type PlannedResolver = {
  readonly source: PlainSource | CallSource;
  /** The types of enclosing objects, and the marks of enclosing arguments (`markOfArgument`), whose values it uses. */
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
   * The levels of lists at which the document forbids null although the type allows it (`@semanticNonNull`): 0 is the value
   * itself, 1 an item of its list. A null there is an error of REST.
   */
  readonly neverNull: readonly number[];
  /** The selection for each possible object type of the value; empty for a leaf. */
  readonly selections: ReadonlyMap<string, ObjectPlan>;
  /** The names of the arguments that links below the field use. */
  readonly inherited: readonly string[];
  /** Compiled when the field is first completed. */
  projection: Projection | undefined;
  /** The locations of the nodes. They are determined at the first error, because this scans the document from its start. */
  locations: FieldError["locations"];
};

/** Completes one value of a field for each result map. Throws if a value does not fit the type, or `ResponseTooLarge`. */
export type Projection = (
  resultMaps: readonly ResultMap[],
  values: readonly unknown[],
  nextParents: ParentsByPlan,
  budget: ResponseBudget,
  /** The enclosing objects of each result map's object, if links below the values inherit from them. */
  enclosing: readonly (Enclosing | undefined)[],
) => void;

export type BoundFieldPlan = FieldPlan & { readonly source: CallSource };

/** A use of `@defer` in the selection of an object. */
export type DeferUsage = {
  readonly label: string | undefined;
  readonly directive: DirectiveNode;
  /** The use of `@defer` around this one. */
  readonly parent: DeferUsage | undefined;
};

/** The selected fields of an object that are deferred by the same uses of `@defer`. */
export type DeferredPlan = {
  readonly usages: readonly DeferUsage[];
  /** A field whose value is its parent itself. */
  readonly field: BoundFieldPlan;
};

/** The key of a deferred part's data in its wrapper. */
export const deferredKey = "data";

export type ObjectPlan = {
  /** The index of this object plan in `ParentsByPlan`. */
  readonly id: number;
  readonly type: GraphQLObjectType;
  readonly fields: readonly FieldPlan[];
  /** The subset of `fields` that calls REST once this object is complete. */
  readonly bound: readonly BoundFieldPlan[];
  /** Present if the selection contains `@defer`, or fields that `@defer` defers. */
  readonly deferral?: {
    readonly plans: readonly DeferredPlan[];
    /** The uses of `@defer` in this selection. */
    readonly introduces: readonly DeferUsage[];
  };
  /** The `inherits` of all links of this object and below it; absent if there are none. */
  readonly inherits?: ReadonlySet<string>;
  /**
   * The error of every object of this plan (GraphQL spec §6.4.1). Present if a condition of the selection (`@skip`, `@include`)
   * is null.
   */
  readonly fault?: GraphQLError;
};

/** Whether there are levels below the objects of a plan. */
export const hasLevels = ({ bound, deferral }: ObjectPlan): boolean =>
  bound.length > 0 || deferral !== undefined;

/** The bytes of an object without its strings: keys, quotes, colons and short values. */
export const objectBytes = ({ fields }: ObjectPlan): number =>
  fields.reduce((sum, { key }) => sum + key.length + 8, 2);

export type OperationPlan = {
  readonly root: ObjectPlan;
  readonly serial: boolean;
  /** Whether parts of the response are deferred. */
  readonly defers: boolean;
  /** The number of fields of all object plans. */
  readonly size: number;
  /** Whether the operation selects introspection fields. Its plan then contains the values of variables. */
  readonly introspects: boolean;
};

/** The parents of the next level that share an object plan: REST's objects, and the result maps that were created from them. */
export type LevelParents = {
  readonly plan: ObjectPlan;
  readonly sources: unknown[];
  readonly resultMaps: ResultMap[];
  /**
   * For each parent, the nearest object from which links get values: the parent itself, or an object that encloses it. Empty
   * unless the plan `inherits`.
   */
  readonly enclosing: (Enclosing | undefined)[];
};

/** An object of the response (GraphQL spec §6.3, "resultMap"). */
export type ResultMap = Record<string, unknown>;

/** The parents of the next level, by `ObjectPlan.id`. */
export type ParentsByPlan = (LevelParents | undefined)[];

/** Adds a parent to `nextParents`. `enclosing` is used only if the plan `inherits`. */
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

/** Adds the arguments of a field to `above`, for the links below that use them. */
export const enclosingWithArguments = (
  { inherited }: FieldPlan,
  args: unknown,
  above: Enclosing | undefined,
): Enclosing | undefined =>
  inherited.reduce<Enclosing | undefined>(
    (around, name) => ({ type: markOfArgument(name), object: args, above: around }),
    above,
  );

/** Adds an object of this plan to `above`, if a link below inherits values from this type. */
export const enclosingWith = (
  { inherits, type }: ObjectPlan,
  object: unknown,
  above: Enclosing | undefined,
): Enclosing | undefined => (inherits?.has(type.name) ? { type: type.name, object, above } : above);

export const toError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`Unexpected error value: ${String(thrown)}`);

/**
 * Completes a value exactly (GraphQL spec §6.4.3): a failure stands in the nearest place that may become null. The messages
 * of errors are those of graphql-js. It runs only for levels that the projection refuses.
 */
import {
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLOutputType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  locatedError,
} from "graphql";
import type { Enclosing } from "../../rest/inherit.ts";
import { valueAt } from "../../rest/property.ts";
import { isRecord } from "../../standards/json-object.ts";
import { ContractBroken } from "../errors/field-error.ts";
import { AnswerTooLarge, type Budget, bytesPerError, spend, spendLeaf } from "./budget.ts";
import { FailedValue } from "./failed-values.ts";
import {
  addParent,
  bytesOf,
  enclosingWith,
  type FieldPlan,
  type LevelParents,
  type ObjectPlan,
  type ParentsByPlan,
  type ResultMap,
  removeLastParent,
} from "./plan.ts";

export type Completion = {
  readonly nextParents: ParentsByPlan;
  /** The parents that got an object of this completion, in order: those of an object that fails are removed again. */
  readonly added: LevelParents[];
  readonly budget: Budget;
  /** The enclosing objects of the value that is completed, if links below the value inherit from them. */
  enclosing: Enclosing | undefined;
};

/** Completes the value of `field`, or returns its failure. */
export const complete = (completion: Completion, field: FieldPlan, value: unknown): unknown =>
  completeAt(completion, field, field.field.type, value);

/**
 * Completes the value at a place, or returns its failure. A failure is thrown on from the place `key` if its type forbids
 * null. The objects of a value that fails have no next level.
 */
function completeAt(
  completion: Completion,
  field: FieldPlan,
  type: GraphQLOutputType,
  value: unknown,
  key?: string | number,
): unknown {
  const { added, budget } = completion;
  const before = added.length;
  try {
    return completeValue(completion, field, type, value);
  } catch (raw) {
    if (raw instanceof AnswerTooLarge) throw raw;
    const failure = located(raw, field);
    if (key !== undefined && isNonNullType(type)) {
      failure.below.unshift(key);
      throw failure;
    }
    while (added.length > before) removeLastParent(added.pop() as LevelParents);
    spend(budget, bytesPerError);
    return failure;
  }
}

/** Adds locations to an error, as graphql-js's `locatedError` does. A `FailedValue` keeps its own. */
function located(raw: unknown, { nodes, source }: FieldPlan): FailedValue {
  if (raw instanceof FailedValue) return raw;
  const thrown = raw instanceof Error ? raw : locatedError(raw, nodes).originalError;
  const error = source.kind === "call" && source.named ? source.named(thrown as Error) : thrown;
  const own = error instanceof GraphQLError ? error.locations : undefined;
  return new FailedValue(error as Error, own ?? placesOf(nodes));
}

/** The locations of nodes. They are cached, because computing them reads the document from its start. */
function placesOf(nodes: FieldPlan["nodes"]): FailedValue["locations"] {
  const known = places.get(nodes) ?? new GraphQLError("", { nodes }).locations;
  places.set(nodes, known);
  return known;
}

const places = new WeakMap<FieldPlan["nodes"], FailedValue["locations"]>();

function completeValue(
  completion: Completion,
  field: FieldPlan,
  type: GraphQLOutputType,
  value: unknown,
): unknown {
  if (value instanceof Error) throw value;
  if (isNonNullType(type)) {
    const completed = completeValue(completion, field, type.ofType, value);
    if (completed === null)
      throw new ContractBroken(
        `Cannot return null for non-nullable field ${field.parentType.name}.${field.field.name}.`,
      );
    return completed;
  }
  if (value === null || value === undefined) return null;
  if (isListType(type)) return completeList(completion, field, type.ofType, value);
  if (isLeafType(type)) return completeLeaf(completion, type, value);
  return completeObject(completion, objectPlanOf(field, type, value), value);
}

function completeList(
  completion: Completion,
  field: FieldPlan,
  type: GraphQLOutputType,
  value: unknown,
): unknown[] {
  if (typeof value !== "object" || value === null || !(Symbol.iterator in value)) {
    throw new ContractBroken(
      `Expected Iterable, but did not find one for field "${field.parentType.name}.${field.field.name}".`,
    );
  }
  return Array.from(value as Iterable<unknown>, (item, key) => {
    spend(completion.budget, 1);
    return completeAt(completion, field, type, item, key);
  });
}

function completeLeaf({ budget }: Completion, type: GraphQLLeafType, value: unknown): unknown {
  const serialized: unknown = type.serialize(value);
  if (serialized === null || serialized === undefined)
    throw new ContractBroken(`${type.name} has no value for what REST sent.`);
  return spendLeaf(budget, serialized);
}

function objectPlanOf(field: FieldPlan, type: GraphQLOutputType, value: unknown): ObjectPlan {
  const name = isAbstractType(type) ? (type.resolveType as (value: unknown) => string)(value) : String(type);
  const plan = field.selections.get(name);
  if (!plan) throw new ContractBroken(`${String(type)} has no member for what REST sent.`);
  return plan;
}

function completeObject(completion: Completion, plan: ObjectPlan, value: unknown): ResultMap {
  if (plan.fault) throw plan.fault;
  if (!isRecord(value)) throw notAnObject(plan.type.name);
  spend(completion.budget, bytesOf(plan));
  const resultMap: ResultMap = Object.create(null);
  const above = completion.enclosing;
  const enclosing = enclosingWith(plan, value, above);
  completion.enclosing = enclosing;
  try {
    for (const field of plan.fields)
      resultMap[field.key] =
        field.source.kind === "typename"
          ? plan.type.name
          : field.source.kind === "call"
            ? null
            : completeAt(completion, field, field.field.type, read(field, value), field.key);
  } finally {
    completion.enclosing = above;
  }
  if (plan.bound.length > 0)
    completion.added.push(addParent(completion.nextParents, plan, value, resultMap, enclosing));
  return resultMap;
}

/** An Error stands for a value that breaks REST's contract. */
function read({ source }: FieldPlan, value: Record<string, unknown>): unknown {
  if (source.kind === "property") return value[source.name];
  if (source.kind !== "path" && source.kind !== "made") return value;
  try {
    return source.kind === "path" ? valueAt(value, source.names) : source.make(value);
  } catch (error) {
    return error;
  }
}

const notAnObject = (type: string): ContractBroken =>
  new ContractBroken(`Expected value of type "${type}" but got another.`);

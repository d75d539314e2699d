/**
 * Completes a value so that errors have paths and nulls propagate (GraphQL spec §6.4.3). The messages and the order of errors are
 * those of graphql-js. Used only for values that a projection refuses.
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
import { isRecord } from "../../../shared/json-object.ts";
import { Dictionary } from "../../../shared/own.ts";
import type { Enclosing } from "../../rest/inherited-values.ts";
import { type PlainSource, valueAt } from "../../rest/property.ts";
import { ContractViolation, FieldError, type Path } from "../errors/field-error.ts";
import {
  addParent,
  enclosingWith,
  type FieldPlan,
  hasLevels,
  type ObjectPlan,
  objectBytes,
  type ParentsByPlan,
  type ResultMap,
} from "./plan.ts";
import { bytesPerError, type ResponseBudget, ResponseTooLarge, spend, spendLeaf } from "./response-budget.ts";

export type Completion = {
  errors: FieldError[];
  readonly nextParents: ParentsByPlan;
  readonly budget: ResponseBudget;
  /** The enclosing objects of the value that is being completed. Set only if a field below the value uses them. */
  enclosing: Enclosing | undefined;
};

/**
 * Throws a located error if the value is null and its type forbids null. Can add objects to `nextParents` that a null then
 * replaces; `completeLevel` removes these.
 */
export function complete(
  completion: Completion,
  field: FieldPlan,
  value: unknown,
  path: Path | undefined,
): unknown {
  return withErrors(completion, field, field.field.type, path, () =>
    completeValue(completion, field, field.field.type, value, path),
  );
}

/** Runs `make`. If it throws, returns null if the type allows it, or else throws the error with its path. */
function withErrors(
  completion: Completion,
  field: FieldPlan,
  type: GraphQLOutputType,
  path: Path | undefined,
  make: () => unknown,
): unknown {
  try {
    return make();
  } catch (raw) {
    if (raw instanceof ResponseTooLarge) throw raw;
    const error = located(raw, field, path);
    if (isNonNullType(type)) throw error;
    addError(completion, error);
    return null;
  }
}

export function addError({ errors, budget }: Completion, error: FieldError): void {
  spend(budget, bytesPerError);
  errors.push(error);
}

/** Adds path and locations to an error, like graphql-js's `locatedError`. A `FieldError` already has path and locations. */
function located(raw: unknown, field: FieldPlan, path: Path | undefined): FieldError {
  if (raw instanceof FieldError) return raw;
  const { nodes, source } = field;
  const thrown = raw instanceof Error ? raw : locatedError(raw, nodes).originalError;
  const error = source.kind === "call" && source.named ? source.named(thrown as Error) : thrown;
  const own = error instanceof GraphQLError ? error.locations : undefined;
  if (!own) field.locations ??= new GraphQLError("", { nodes }).locations;
  return new FieldError(error as Error, own ?? field.locations, path);
}

function completeValue(
  completion: Completion,
  field: FieldPlan,
  type: GraphQLOutputType,
  value: unknown,
  path: Path | undefined,
): unknown {
  if (value instanceof Error) throw value;
  if (isNonNullType(type)) {
    const completed = completeValue(completion, field, type.ofType, value, path);
    if (completed === null)
      throw new ContractViolation(
        `Cannot return null for non-nullable field ${field.parentType.name}.${field.field.name}.`,
      );
    return completed;
  }
  if (value === null || value === undefined) {
    if (field.neverNull.length > 0 && field.neverNull.includes(levelOf(path)))
      throw new ContractViolation(`REST sent no value for ${field.parentType.name}.${field.field.name}.`);
    return null;
  }
  if (isListType(type)) return completeList(completion, field, type.ofType, value, path);
  if (isLeafType(type)) return completeLeaf(completion, type, value);
  return completeObject(completion, objectPlanOf(field, type, value), value, path);
}

function completeList(
  completion: Completion,
  field: FieldPlan,
  type: GraphQLOutputType,
  value: unknown,
  path: Path | undefined,
): unknown[] {
  if (typeof value !== "object" || value === null || !(Symbol.iterator in value)) {
    throw new ContractViolation(
      `Expected Iterable, but did not find one for field "${field.parentType.name}.${field.field.name}".`,
    );
  }
  return Array.from(value as Iterable<unknown>, (item, key) => {
    spend(completion.budget, 1);
    const at = { up: path, key };
    return withErrors(completion, field, type, at, () => completeValue(completion, field, type, item, at));
  });
}

/** Returns how many of the field's lists enclose the value at `path`: 0 for the field's value, 1 for an item of its list. */
function levelOf(path: Path | undefined): number {
  let level = 0;
  for (let at = path; typeof at?.key === "number"; at = at.up) level++;
  return level;
}

function completeLeaf({ budget }: Completion, type: GraphQLLeafType, value: unknown): unknown {
  const serialized: unknown = type.serialize(value);
  if (serialized === null || serialized === undefined)
    throw new ContractViolation(`${type.name} cannot represent the value that REST sent.`);
  return spendLeaf(budget, serialized);
}

function objectPlanOf(field: FieldPlan, type: GraphQLOutputType, value: unknown): ObjectPlan {
  const name = isAbstractType(type) ? (type.resolveType as (value: unknown) => string)(value) : String(type);
  const plan = field.selections.get(name);
  if (!plan) throw new ContractViolation(`${String(type)} has no member type for the value that REST sent.`);
  return plan;
}

function completeObject(
  completion: Completion,
  plan: ObjectPlan,
  value: unknown,
  path: Path | undefined,
): ResultMap {
  if (plan.fault) throw plan.fault;
  if (!isRecord(value)) throw notAnObject(plan.type.name);
  spend(completion.budget, objectBytes(plan));
  const resultMap: ResultMap = new Dictionary();
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
            : complete(completion, field, read(field.source, value), { up: path, key: field.key });
  } finally {
    completion.enclosing = above;
  }
  if (hasLevels(plan)) addParent(completion.nextParents, plan, value, resultMap, enclosing);
  return resultMap;
}

/** Returns the field's value in a REST object. Returns an error instead of throwing it, so that only this field fails. */
function read(source: PlainSource, value: Record<string, unknown>): unknown {
  try {
    return source.kind === "path" ? valueAt(value, source.names) : source.compute(value);
  } catch (error) {
    return error;
  }
}

const notAnObject = (type: string): ContractViolation =>
  new ContractViolation(`Expected value of type "${type}" but got another.`);

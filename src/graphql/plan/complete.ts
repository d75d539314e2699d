/**
 * The exact way from a REST value to its part of the answer (GraphQL spec §6.4.3): errors with their paths, nulls that
 * bubble, in the order and with the words of graphql-js. Runs only for values that the projection refuses.
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
  type SourceLocation,
} from "graphql";
import { AnswerTooLarge, type Budget, bytesPerError, spend } from "./budget.ts";
import { bytesOf, type FieldPlan, type Gathered, gather, type ObjectPlan, type Target } from "./plan.ts";

export type Path = { readonly up: Path | undefined; readonly key: string | number };

const pathKeys = (path: Path | undefined): (string | number)[] =>
  path ? [...pathKeys(path.up), path.key] : [];

/**
 * What made a field null, where it stands in the answer and in the document. A `GraphQLError` of the same takes fifty
 * times as long to make, and a call that fails is an error for each of its parents.
 */
export class FieldError {
  readonly message: string;
  readonly locations: readonly SourceLocation[] | undefined;
  readonly path: readonly (string | number)[];
  readonly originalError: Error;

  constructor(originalError: Error, locations: FieldError["locations"], path: Path) {
    this.message = originalError.message;
    this.locations = locations;
    this.path = pathKeys(path);
    this.originalError = originalError;
  }
}

export type Completion = {
  readonly errors: FieldError[];
  readonly gathered: Gathered;
  readonly budget: Budget;
};

/**
 * Completes the value of `field`; throws a located error if it must be null and may not. Objects are gathered even in
 * values that become null: those no longer hang in the answer.
 */
export function complete(completion: Completion, field: FieldPlan, value: unknown, path: Path): unknown {
  return caught(completion, field, field.field.type, path, () =>
    completeValue(completion, field, field.field.type, value, path),
  );
}

/** Runs `make`; an error becomes null where the type allows it, and is thrown on, with its place, where not. */
function caught(
  completion: Completion,
  field: FieldPlan,
  type: GraphQLOutputType,
  path: Path,
  make: () => unknown,
): unknown {
  try {
    return make();
  } catch (raw) {
    if (raw instanceof AnswerTooLarge) throw raw;
    const error = located(raw, field, path);
    if (isNonNullType(type)) throw error;
    tell(completion, error);
    return null;
  }
}

/** Adds an error to the answer. */
export function tell({ errors, budget }: Completion, error: FieldError): void {
  spend(budget, bytesPerError);
  errors.push(error);
}

/** Gives an error its place, as graphql-js's `locatedError` does; one that has it already keeps it. */
function located(raw: unknown, { nodes }: FieldPlan, path: Path): FieldError {
  if (raw instanceof FieldError) return raw;
  const error = raw instanceof Error ? raw : locatedError(raw, nodes).originalError;
  const own = error instanceof GraphQLError ? error.locations : undefined;
  return new FieldError(error as Error, own ?? placesOf(nodes), path);
}

/** Counted once, because that reads the document from its beginning. */
function placesOf(nodes: FieldPlan["nodes"]): FieldError["locations"] {
  const known = places.get(nodes) ?? new GraphQLError("", { nodes }).locations;
  places.set(nodes, known);
  return known;
}

const places = new WeakMap<FieldPlan["nodes"], FieldError["locations"]>();

function completeValue(
  completion: Completion,
  field: FieldPlan,
  type: GraphQLOutputType,
  value: unknown,
  path: Path,
): unknown {
  if (value instanceof Error) throw value;
  if (isNonNullType(type)) {
    const completed = completeValue(completion, field, type.ofType, value, path);
    if (completed === null)
      throw new Error(
        `Cannot return null for non-nullable field ${field.parentType.name}.${field.field.name}.`,
      );
    return completed;
  }
  if (value === null || value === undefined) return null;
  if (isListType(type)) return completeList(completion, field, type.ofType, value, path);
  if (isLeafType(type)) return completeLeaf(completion, type, value);
  return completeObject(completion, objectPlanOf(field, type, value), value, path);
}

function completeList(
  completion: Completion,
  field: FieldPlan,
  type: GraphQLOutputType,
  value: unknown,
  path: Path,
): unknown[] {
  if (typeof value !== "object" || value === null || !(Symbol.iterator in value)) {
    throw new Error(
      `Expected Iterable, but did not find one for field "${field.parentType.name}.${field.field.name}".`,
    );
  }
  return Array.from(value as Iterable<unknown>, (item, key) => {
    spend(completion.budget, 1);
    const at = { up: path, key };
    return caught(completion, field, type, at, () => completeValue(completion, field, type, item, at));
  });
}

function completeLeaf({ budget }: Completion, type: GraphQLLeafType, value: unknown): unknown {
  const serialized: unknown = type.serialize(value);
  if (serialized === null || serialized === undefined)
    throw new Error(`${type.name} has no value for what REST sent.`);
  if (typeof serialized === "string") spend(budget, serialized.length);
  return serialized;
}

function objectPlanOf(field: FieldPlan, type: GraphQLOutputType, value: unknown): ObjectPlan {
  const name = isAbstractType(type) ? (type.resolveType as (value: unknown) => string)(value) : String(type);
  const plan = field.selections.get(name);
  if (!plan) throw new Error(`${String(type)} has no member for what REST sent.`);
  return plan;
}

function completeObject(completion: Completion, plan: ObjectPlan, value: unknown, path: Path): Target {
  if (!isPlainObject(value)) throw notAnObject(plan.type.name);
  spend(completion.budget, bytesOf(plan));
  const target: Target = Object.create(null);
  for (const field of plan.fields) {
    target[field.key] =
      field.source.kind === "typename"
        ? plan.type.name
        : isBound(field)
          ? null
          : complete(completion, field, read(field, value), { up: path, key: field.key });
  }
  if (plan.bound.length > 0) gather(completion.gathered, plan, value, target);
  return target;
}

const isBound = ({ source }: FieldPlan): boolean => source.kind === "call" || source.kind === "level";

const read = ({ source }: FieldPlan, value: Record<string, unknown>): unknown =>
  source.kind === "property" ? value[source.name] : value;

/** What an object type is read from; anything else breaks the REST contract. Every object type's `isTypeOf`. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const notAnObject = (type: string): Error => new Error(`Expected value of type "${type}" but got another.`);

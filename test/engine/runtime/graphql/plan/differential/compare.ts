/**
 * Runs a case on graphql-js and by a plan, and compares the results. The data must be the same text, and so must every
 * masked error. GraphQL leaves one point open (October 2021, §6.4.4). Several failures below a position may make it null.
 * The first failure found is an error of the response, and the others may be errors too. For such a null alone, the plan's
 * errors may differ from those of graphql-js. Each must be a failure that graphql-js finds in the nullable schema, and
 * exactly one must be the reason for the null.
 */
import {
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  isListType,
  isNonNullType,
} from "graphql";
import { ContractViolation } from "../../../../../../src/engine/runtime/graphql/errors/field-error.ts";
import {
  maskError,
  maskFieldError,
} from "../../../../../../src/engine/runtime/graphql/errors/mask-errors.ts";
import type { Pieces } from "../../../../../../src/engine/runtime/graphql/plan/complete-level.ts";
import type { ObjectPlan, OperationPlan } from "../../../../../../src/engine/runtime/graphql/plan/plan.ts";
import type { PlanCache } from "../../../../../../src/engine/runtime/graphql/plan/plan-cache.ts";
import { runPlan } from "../../../../../../src/engine/runtime/graphql/plan/run-plan.ts";
import { coerceVariables } from "../../../../../../src/engine/runtime/graphql/variables/coerce-variables.ts";
import { FakeRest, type Faults } from "./answers.ts";
import type { RandomSchema } from "./schema.ts";

export type Case = {
  readonly given: RandomSchema;
  readonly plans: PlanCache;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown>;
  readonly faults: Faults;
  readonly seed: unknown;
  readonly pieces: Pieces;
};

type Path = readonly (string | number)[];
type ClientError = { readonly path: Path; readonly text: string };
type Result = {
  readonly data: unknown;
  readonly errors: readonly ClientError[];
  readonly calls: readonly string[];
};

/** The outcome of a case. `difference` is absent if both results agree. */
export type Outcome = {
  /** Values of variables may be refused. */
  readonly kind: "same" | "refused";
  readonly failed: boolean;
  /** The number of nulls whose errors differ as GraphQL allows. */
  readonly reordered: number;
  readonly difference?: string;
};

const unlimited = { MAX_ANSWER_BYTES: Number.MAX_SAFE_INTEGER, MAX_BODY_BYTES: Number.MAX_SAFE_INTEGER };

export async function compareCase(given: Case): Promise<Outcome> {
  const { document, operationName } = given;
  const operation = getOperationAST(document, operationName);
  const { variableDefinitions = [] } = operation ?? {};
  const variables = coerceVariables(given.given.schema, variableDefinitions, given.variables, false);
  const coerced = "coerced" in variables && variables.coerced;
  if (!operation || !coerced) return { kind: "refused", failed: false, reordered: 0 };
  const plan = given.plans.get({ document, operation }, coerced, (compile) => compile());
  const rest = new FakeRest(given.given, given.faults, given.seed);
  const planned = result(
    await runPlan(plan, {
      variables: coerced,
      context: { rest: rest as never },
      limits: unlimited,
      pieces: given.pieces,
    }),
    maskFieldError,
    rest,
  );
  const expected = await reference(given, given.given.reference);
  const { difference, reordered } = await differenceOf(given, plan, planned, expected);
  return {
    kind: "same",
    failed: expected.errors.length > 0,
    reordered,
    ...(difference !== undefined && { difference }),
  };
}

async function reference(given: Case, schema: GraphQLSchema): Promise<Result> {
  const rest = new FakeRest(given.given, given.faults, given.seed);
  const { document, operationName, variables: variableValues } = given;
  const contextValue = { rest };
  const executed = await execute({ schema, document, operationName, variableValues, contextValue });
  return result(executed, (error) => maskError(error.toJSON(), failureOf(error)), rest);
}

/** graphql-js has neither a class nor a code for a value that breaks the contract, so its messages are matched. */
const failureOf = (error: GraphQLError): unknown =>
  /^(?:Cannot return null|Expected )/.test(error.message) ? new ContractViolation() : error;

type Given<Failure> = { readonly data?: unknown; readonly errors?: readonly Failure[] };

function result<Failure extends { readonly path?: readonly (string | number)[] | undefined }>(
  { data, errors = [] }: Given<Failure>,
  masked: (error: Failure) => GraphQLFormattedError,
  rest: FakeRest,
): Result {
  const told = errors.map((error) => ({ path: error.path ?? [], text: JSON.stringify(masked(error)) }));
  return {
    data,
    errors: told.sort((left, right) => (left.text < right.text ? -1 : 1)),
    calls: [...rest.calls],
  };
}

async function differenceOf(
  given: Case,
  plan: OperationPlan,
  planned: Result,
  expected: Result,
): Promise<{ difference?: string; reordered: number }> {
  if (JSON.stringify(planned.data) !== JSON.stringify(expected.data))
    return { difference: sideBySide("data", planned.data, expected.data), reordered: 0 };
  const calls = callDifference(plan, planned, expected);
  if (calls) return { difference: calls, reordered: 0 };
  const ours = byNull(planned);
  const theirs = byNull(expected);
  let reordered = 0;
  for (const place of new Set([...ours.keys(), ...theirs.keys()])) {
    const told = ours.get(place) ?? [];
    const wanted = theirs.get(place) ?? [];
    if (sameTexts(told, wanted)) continue;
    const difference = { difference: sideBySide(`errors at ${place}`, told, wanted), reordered };
    if (place === exact) return difference;
    if (told.filter(({ path }) => isReason(plan, path, JSON.parse(place))).length !== 1) return difference;
    if (!(await areFound(given, plan, told))) return difference;
    reordered++;
  }
  return { reordered };
}

/** The group of errors at their own null or at no null, which are compared one by one. */
const exact = "exact";

/** Groups errors by the null above their path. The other errors are in the group `exact`. */
function byNull({ data, errors }: Result): Map<string, ClientError[]> {
  const groups = new Map<string, ClientError[]>();
  for (const told of errors) {
    const place = nullAbove(data, told.path);
    const key = place === undefined ? exact : JSON.stringify(place);
    groups.set(key, [...(groups.get(key) ?? []), told]);
  }
  return groups;
}

function nullAbove(data: unknown, path: Path): Path | undefined {
  let value = data;
  for (const [depth, key] of path.entries()) {
    if (value === null) return path.slice(0, depth);
    value = (value as Record<string | number, unknown>)[key];
  }
  return undefined;
}

const sameTexts = (left: readonly ClientError[], right: readonly ClientError[]): boolean =>
  left.length === right.length && left.every(({ text }, index) => text === right[index]?.text);

/** Whether a failure at `path` makes `place` null: no position between them is nullable. */
const isReason = (plan: OperationPlan, path: Path, place: Path): boolean =>
  typesAlong(plan, path).slice(place.length).every(isNonNullType);

/** The types of the positions along a path. */
function typesAlong(plan: OperationPlan, path: Path): unknown[] {
  let objects: readonly ObjectPlan[] = [plan.root];
  let type: unknown;
  return path.map((key) => {
    const bare = isNonNullType(type) ? type.ofType : type;
    if (typeof key === "number") type = isListType(bare) ? bare.ofType : undefined;
    else {
      const fields = objects.flatMap((object) => object.fields.filter((field) => field.key === key));
      objects = fields.flatMap(({ selections }) => [...selections.values()]);
      type = fields[0]?.field.type;
    }
    return type;
  });
}

/** Whether graphql-js finds all these failures in the nullable schema, in which no failure hides another. */
async function areFound(given: Case, plan: OperationPlan, told: readonly ClientError[]): Promise<boolean> {
  const { data, errors } = await reference(given, given.given.nullable);
  const found = new Set(errors.map(({ text }) => text));
  return told.every(
    ({ path, text }) =>
      found.has(text) ||
      (valueAt(data, path) === null &&
        isNonNullType(typesAlong(plan, path).at(-1)) &&
        JSON.parse(text).extensions.code === "BAD_UPSTREAM_RESPONSE"),
  );
}

const valueAt = (data: unknown, path: Path): unknown =>
  path.reduce((value, key) => (value as Record<string | number, unknown> | null | undefined)?.[key], data);

/** The difference of calls. A mutation's calls keep their order. A plan makes no call that graphql-js would not make. */
function callDifference(plan: OperationPlan, planned: Result, expected: Result): string | undefined {
  const sent = ({ calls }: Result): string[] => calls.filter((call) => call.startsWith("POST"));
  if (plan.serial && sent(planned).join() !== sent(expected).join())
    return sideBySide("mutations", sent(planned), sent(expected));
  if (expected.errors.length === 0 && planned.calls.length > expected.calls.length)
    return sideBySide("calls", planned.calls, expected.calls);
  return undefined;
}

const sideBySide = (what: string, ours: unknown, theirs: unknown): string =>
  `${what}\n  plan:       ${JSON.stringify(ours)}\n  graphql-js: ${JSON.stringify(theirs)}`;

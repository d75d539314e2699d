/** Executes an operation by its plan. The document has already been parsed and validated. */
import type { GraphQLRequestContextResponseForOperation, GraphQLResponse } from "@apollo/server";
import {
  type GraphQLError,
  type GraphQLSchema,
  introspectionFromSchema,
  type OperationDefinitionNode,
} from "graphql";
import { CodedError } from "../coded-error.ts";
import { beginOperation } from "../observe/observer.ts";
import { introspectedBytes, parentsPerPiece } from "../settings/capacity.ts";
import type { Config } from "../settings/config.ts";
import { logErrors } from "./errors/log-errors.ts";
import { maskVariableError } from "./errors/mask-errors.ts";
import { logAndMask } from "./errors/response-errors.ts";
import { refusalResponse, responseWith } from "./graphql-over-http.ts";
import { PlanCache } from "./plan/plan-cache.ts";
import { ResponseTooLarge } from "./plan/response-budget.ts";
import { type PlanResult, runPlan } from "./plan/run-plan.ts";
import type { RequestContext } from "./request-context.ts";
import { responseInParts } from "./response-in-parts.ts";
import { coerceVariables, type Variables } from "./variables/coerce-variables.ts";

export type ExecutionCounts = { count: number };

export type OperationRequest = Pick<
  GraphQLRequestContextResponseForOperation<RequestContext>,
  "document" | "operation" | "contextValue" | "request"
>;

/** Resolves with `null` if the document does not contain the operation, so that Apollo reports the error. */
export type ExecuteByPlan = (request: OperationRequest) => Promise<GraphQLResponse | null>;

/** Creates Apollo's `responseForOperation` hook. */
export function planExecutor(
  schema: GraphQLSchema,
  executions: ExecutionCounts,
  { env, production }: Config,
): ExecuteByPlan {
  const plans = new PlanCache(schema, env.MAX_FIELDS);
  let introspectionLimit: number | undefined;
  /** Returns the limits for an introspection operation. The maximum size of its response grows with the schema. */
  const schemaLimits = () => {
    introspectionLimit ??= introspectionLimitOf(schema);
    return { ...env, MAX_ANSWER_BYTES: introspectionLimit };
  };
  const coerce = ({ scope }: RequestContext, operation: OperationDefinitionNode, given: Variables) => {
    const { variableDefinitions = [] } = operation;
    const run = () => coerceVariables(schema, variableDefinitions, given, production);
    return Object.values(given).some(isLarge) ? scope.measured(run) : run();
  };
  /** Begins the execution. If the operation is refused, returns a response instead of a promise. */
  const begin = ({
    document,
    operation,
    contextValue,
    request,
  }: OperationRequest): Promise<PlanResult> | GraphQLResponse | null => {
    if (!operation) return null;
    if (contextValue.queriesOnly && operation.operation !== "query") return refusedMutationByGet();
    if (contextValue.execution) contextValue.execution.isQuery = operation.operation === "query";
    const { record } = contextValue;
    if (record) {
      record.operationType = operation.operation;
      record.ran(document);
      beginOperation(record);
    }
    const variables = coerce(contextValue, operation, request.variables ?? {});
    if ("errors" in variables) return refusedVariables(contextValue, variables.errors);
    const { coerced } = variables;
    const { scope } = contextValue;
    const { partFormat: format, execution } = contextValue;
    const plan = plans.get({ document, operation, format }, coerced, (compile) => scope.measured(compile));
    if (plan.defers) execution?.end();
    executions.count++;
    const { serial, introspects } = plan;
    const running = runPlan(plan, {
      variables: coerced,
      context: contextValue,
      limits: introspects ? schemaLimits() : env,
      pieces: {
        size: parentsPerPiece,
        // mutations never wait: their writes have been made; introspection never waits: it processes no REST responses
        complete: (work) => (serial || introspects ? scope.measured(work) : scope.completed(work)),
        measured: (work) => scope.measured(work),
      },
    });
    return introspects ? running.catch(throwForIntrospectionLimit) : running;
  };
  return async (operationRequest) => {
    try {
      const begun = begin(operationRequest);
      return begun instanceof Promise ? responseOf(operationRequest.contextValue, await begun) : begun;
    } catch (error) {
      if (error instanceof CodedError) return refusalResponse(error);
      throw error;
    }
  };
}

/** Returns the maximum size of an introspection response: a multiple of the full introspection query's result. */
const introspectionLimitOf = (schema: GraphQLSchema): number =>
  Math.max(
    introspectedBytes.fullQueries * JSON.stringify(introspectionFromSchema(schema)).length,
    introspectedBytes.least,
  );

function throwForIntrospectionLimit(error: unknown): never {
  if (!(error instanceof ResponseTooLarge)) throw error;
  throw new CodedError("LIMIT_EXCEEDED", "an operation asks for too much of the schema");
}

function responseOf(context: RequestContext, { data, errors, later }: PlanResult): GraphQLResponse {
  if (later && data) return responseInParts(context, data, errors, later);
  if (errors.length === 0) return responseWith({ data });
  return responseWith({ errors: logAndMask(context, errors), data });
}

/** Whether coercing this variable value can take long enough to be measured. */
const isLarge = (value: unknown): boolean =>
  typeof value === "string" ? value.length > 1_000 : typeof value === "object" && value !== null;

function refusedVariables(context: RequestContext, errors: readonly GraphQLError[]): GraphQLResponse {
  logErrors(context, errors);
  return responseWith({ errors: errors.map(maskVariableError) }, 400);
}

/** Returns the response to a mutation by GET, with the permitted method in the header `Allow` (RFC 9110 §10.2.1). */
function refusedMutationByGet(): GraphQLResponse {
  const response = refusalResponse(new CodedError("METHOD_NOT_ALLOWED", "mutations are sent by POST"));
  response.http.headers.set("allow", "POST");
  return response;
}

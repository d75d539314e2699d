/**
 * Chooses the executor of an operation in Apollo's hook `responseForOperation`. Apollo has parsed and validated the
 * operation before. The hook coerces the variables for either executor. An operation without a plan runs on graphql-js.
 */
import {
  type GraphQLRequestContextResponseForOperation,
  type GraphQLResponse,
  HeaderMap,
} from "@apollo/server";
import type { GraphQLError, GraphQLSchema } from "graphql";
import { parentsOfPiece } from "../capacity.ts";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { logErrors } from "./errors/log-errors.ts";
import { mask, maskField, maskVariable } from "./errors/mask.ts";
import { grouped, withPlaces } from "./errors/repeated-errors.ts";
import { Plans } from "./plan/plans.ts";
import { runPlan } from "./plan/run-plan.ts";
import type { RequestContext } from "./request-context.ts";
import { coerceVariables } from "./variables/coerce-variables.ts";

/** The number of operations that a plan ran, and the number that graphql-js ran. */
export type ExecutionCounts = { planned: number; interpreted: number };

/** Creates Apollo's `responseForOperation` hook. Without `executions`, graphql-js runs every operation. */
export function responseForOperation(
  schema: GraphQLSchema,
  executions: ExecutionCounts | undefined,
  { env, production }: Config,
) {
  const plans = new Plans(schema, env.MAX_FIELDS);
  return async (
    asked: GraphQLRequestContextResponseForOperation<RequestContext>,
  ): Promise<GraphQLResponse | null> => {
    const { document, operation, contextValue, request, response } = asked;
    // Apollo calls the hook even if the document has no such operation; graphql-js reports that error
    if (!operation) return null;
    if (contextValue.queriesOnly && operation.operation !== "query") return refused(notByGet, "POST");
    if (contextValue.execution) contextValue.execution.isQuery = operation.operation === "query";
    try {
      const { variableDefinitions = [] } = operation;
      const { scope } = contextValue;
      const given = request.variables ?? {};
      const coerce = () => coerceVariables(schema, variableDefinitions, given, production);
      const variables = Object.values(given).some(isLarge) ? scope.measured(coerce) : coerce();
      if ("errors" in variables) return refusedVariables(contextValue, variables.errors);
      if (!executions) return null;
      const plan = plans.get(document, operation, variables.coerced, (compile) => scope.measured(compile));
      if (!plan) {
        executions.interpreted++;
        return null;
      }
      executions.planned++;
      const { data, errors } = await runPlan(plan, variables.coerced, contextValue, env, {
        size: parentsOfPiece,
        // nothing of a mutation waits: its writes are done
        complete: (work) => (plan.serial ? scope.measured(work) : scope.completed(work)),
      });
      if (errors.length === 0)
        return { http: response.http, body: { kind: "single", singleResult: { data } } };
      const groups = grouped(errors);
      logErrors(
        contextValue,
        groups.map(({ error }) => error),
      );
      const masked = groups.map(({ error, places }) => withPlaces(maskField(error), places));
      return { http: response.http, body: { kind: "single", singleResult: { errors: masked, data } } };
    } catch (error) {
      if (error instanceof CodedError) return refused(error);
      throw error;
    }
  };
}

/** Whether the coercion of a variable's value may take long enough to be measured. */
const isLarge = (value: unknown): boolean =>
  typeof value === "string" ? value.length > 1_000 : typeof value === "object" && value !== null;

function refusedVariables(context: RequestContext, errors: readonly GraphQLError[]): GraphQLResponse {
  logErrors(context, errors);
  return {
    http: { status: 400, headers: new HeaderMap() },
    body: { kind: "single", singleResult: { errors: errors.map(maskVariable) } },
  };
}

const notByGet = new CodedError("METHOD_NOT_ALLOWED", "mutations are sent by POST");

/** The response to an operation that is refused as a whole. `allow` lists the allowed methods (RFC 9110 §10.2.1). */
const refused = (error: CodedError, allow?: string): GraphQLResponse => ({
  http: { status: error.status, headers: new HeaderMap(allow === undefined ? [] : [["allow", allow]]) },
  body: { kind: "single", singleResult: { errors: [mask({ message: error.message }, error)] } },
});

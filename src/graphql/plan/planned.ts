/**
 * The executor as Apollo's public hook takes it: parsed, validated and limited by then. An operation without a plan goes
 * on to graphql-js, and is counted.
 */
import {
  type GraphQLRequestContextResponseForOperation,
  type GraphQLResponse,
  HeaderMap,
} from "@apollo/server";
import { type GraphQLSchema, getVariableValues } from "graphql";
import type { Environment } from "../../config.ts";
import { CodedError } from "../../errors.ts";
import { mask, maskField } from "../mask.ts";
import { report } from "../report.ts";
import type { RequestContext } from "../request-context.ts";
import { Plans } from "./plans.ts";
import { runPlan } from "./run.ts";

/** How many operations ran by a plan, and how many on graphql-js. */
export type Executions = { planned: number; interpreted: number };

/** Makes Apollo's `responseForOperation`. */
export function planned(schema: GraphQLSchema, executions: Executions, env: Environment) {
  const plans = new Plans(schema, env.MAX_FIELDS);
  return async (
    asked: GraphQLRequestContextResponseForOperation<RequestContext>,
  ): Promise<GraphQLResponse | null> => {
    const { document, operation, contextValue, request, response } = asked;
    // Apollo asks before it knows that there is such an operation; graphql-js says that there is none
    if (!operation) return null;
    const { coerced } = getVariableValues(
      schema,
      operation.variableDefinitions ?? [],
      request.variables ?? {},
    );
    try {
      const plan = coerced && plans.get(document, operation, coerced);
      if (!plan || !coerced) {
        executions.interpreted++;
        return null;
      }
      executions.planned++;
      const { data, errors } = await runPlan(plan, coerced, contextValue, env.MAX_ANSWER_BYTES);
      if (errors.length === 0)
        return { http: response.http, body: { kind: "single", singleResult: { data } } };
      report(contextValue, errors);
      const masked = errors.map(maskField);
      return { http: response.http, body: { kind: "single", singleResult: { errors: masked, data } } };
    } catch (error) {
      if (error instanceof CodedError) return refused(error);
      throw error;
    }
  };
}

/** An operation that is refused as a whole. */
const refused = (error: CodedError): GraphQLResponse => ({
  http: { status: error.status, headers: new HeaderMap() },
  body: { kind: "single", singleResult: { errors: [mask({ message: error.message }, error)] } },
});

/** Executes operations: the document of the text, its operation, the variables, the plan. */
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  introspectionFromSchema,
  type OperationDefinitionNode,
} from "graphql";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import type { GeneratedApi } from "../rest/api.ts";
import { introspectedBytes, parentsOfPiece } from "../settings/capacity.ts";
import { deprecationHeaders } from "./deprecation-headers.ts";
import { logErrors } from "./errors/log-errors.ts";
import { maskField, maskVariable } from "./errors/mask.ts";
import { grouped, withPlaces } from "./errors/repeated-errors.ts";
import type { Documents } from "./limits/documents.ts";
import { type GraphqlResponse, type Request, refusalResponse, responseWith } from "./over-http.ts";
import { AnswerTooLarge } from "./plan/budget.ts";
import { Plans } from "./plan/plans.ts";
import { type PlanResult, runPlan } from "./plan/run-plan.ts";
import type { RequestContext } from "./request-context.ts";
import { coerceVariables, type Variables } from "./variables/coerce-variables.ts";

/** The number of operations that ran. */
export type ExecutionCounts = { count: number };

/** An operation by its document's text. */
type Asked = { readonly query: string } & Pick<Request, "operationName" | "variables">;

export type Execute = (asked: Asked, context: RequestContext) => Promise<GraphqlResponse>;

export function createExecutor(
  schema: GraphQLSchema,
  { env, production }: Config,
  documents: Documents,
  executions: ExecutionCounts,
  deprecations: GeneratedApi["deprecations"] = undefined,
): Execute {
  const plans = new Plans(schema, env.MAX_FIELDS);
  const headersOf = deprecationHeaders(schema, deprecations);
  let mostOfSchema: number | undefined;
  /** The limits of an answer about the schema, which grow with the schema. */
  const schemaLimits = () => {
    mostOfSchema ??= mostIntrospected(schema);
    return { ...env, MAX_ANSWER_BYTES: mostOfSchema };
  };
  const coerce = ({ scope }: RequestContext, operation: OperationDefinitionNode, given: Variables) => {
    const { variableDefinitions = [] } = operation;
    const run = () => coerceVariables(schema, variableDefinitions, given, production);
    return Object.values(given).some(isLarge) ? scope.measured(run) : run();
  };
  /** Begins the execution. A response that is there already was refused. */
  const begin = (
    document: DocumentNode,
    { operationName, variables: given }: Asked,
    context: RequestContext,
  ): Promise<PlanResult> | GraphqlResponse => {
    const operation = getOperationAST(document, operationName);
    if (!operation) throw unresolved(operationName);
    if (context.queriesOnly && operation.operation !== "query") return notByGet();
    if (context.execution) context.execution.isQuery = operation.operation === "query";
    const variables = coerce(context, operation, given ?? {});
    if ("errors" in variables) return refusedVariables(context, variables.errors);
    const { coerced } = variables;
    const { scope } = context;
    const plan = plans.get(document, operation, coerced, (compile) => scope.measured(compile));
    executions.count++;
    const { serial, introspects } = plan;
    const running = runPlan(plan, coerced, context, introspects ? schemaLimits() : env, {
      size: parentsOfPiece,
      // nothing of a mutation waits: its writes are done; an answer about the schema is no work on responses
      complete: (work) => (serial || introspects ? scope.measured(work) : scope.completed(work)),
    });
    return introspects ? running.catch(asTooMuchOfSchema) : running;
  };
  const responseTo = async (document: DocumentNode, asked: Asked, context: RequestContext) => {
    try {
      const begun = begin(document, asked, context);
      return begun instanceof Promise ? responseOf(context, await begun) : begun;
    } catch (error) {
      if (error instanceof CodedError) return refusalResponse(error);
      throw error;
    }
  };
  return async (asked, context) => {
    const { query: text } = asked;
    const read = () => documents.read(text, (errors) => logErrors(context, errors));
    const document = documents.accepted(text) ?? context.scope.measured(read);
    if (!("kind" in document)) return document;
    const response = await responseTo(document, asked, context);
    return headersOf ? { ...response, headers: [...response.headers, ...headersOf(document)] } : response;
  };
}

/** The document has no such operation (GraphQL spec §6.1). */
const unresolved = (name: string | undefined): CodedError =>
  new CodedError(
    "OPERATION_RESOLUTION_FAILURE",
    name === undefined
      ? "Must provide operation name if query contains multiple operations."
      : `Unknown operation named "${name.slice(0, 400)}".`,
  );

/** The bytes of so many answers to the introspection query of tools, and at least so many bytes. */
const mostIntrospected = (schema: GraphQLSchema): number =>
  Math.max(
    introspectedBytes.fullQueries * JSON.stringify(introspectionFromSchema(schema)).length,
    introspectedBytes.least,
  );

function asTooMuchOfSchema(error: unknown): never {
  if (!(error instanceof AnswerTooLarge)) throw error;
  throw new CodedError("LIMIT_EXCEEDED", "an operation asks for too much of the schema");
}

function responseOf(context: RequestContext, { data, errors }: PlanResult): GraphqlResponse {
  if (errors.length === 0) return responseWith({ data });
  const groups = grouped(errors);
  logErrors(
    context,
    groups.map(({ error }) => error),
  );
  const masked = groups.map(({ error, paths }) => withPlaces(maskField(error), paths));
  return responseWith({ errors: masked, data });
}

/** Whether the coercion of a variable's value may take long enough to be measured. */
const isLarge = (value: unknown): boolean =>
  typeof value === "string" ? value.length > 1_000 : typeof value === "object" && value !== null;

function refusedVariables(context: RequestContext, errors: readonly GraphQLError[]): GraphqlResponse {
  logErrors(context, errors);
  return responseWith({ errors: errors.map(maskVariable) }, 400);
}

/** `Allow` lists the methods (RFC 9110 §10.2.1). */
const notByGet = (): GraphqlResponse => ({
  ...refusalResponse(new CodedError("METHOD_NOT_ALLOWED", "mutations are sent by POST")),
  headers: [["allow", "POST"]],
});

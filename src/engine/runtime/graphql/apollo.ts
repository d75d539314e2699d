/** The Apollo Server of the graphql role, without Apollo's landing page, cache control, usage reporting and stack traces. */
import { ApolloServer, type GraphQLRequestListener, type GraphQLResponse } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import type { FastifyBaseLogger } from "fastify";
import { type GraphQLSchema, getOperationAST, type ValidationRule } from "graphql";
import { deferRules } from "../../shared/defer.ts";
import { documentCharactersPerMs, startWork } from "../governor/work-costs.ts";
import type { GeneratedApi } from "../rest/generated-api.ts";
import type { Config } from "../settings/config.ts";
import type { Environment } from "../settings/environment.ts";
import { type DeprecationHeaders, deprecationHeaders } from "./deprecation-headers.ts";
import { logErrors } from "./errors/log-errors.ts";
import { formatError } from "./errors/mask-errors.ts";
import { floatRule } from "./exact-numbers.ts";
import {
  type ExecuteByPlan,
  type ExecutionCounts,
  type OperationRequest,
  planExecutor,
} from "./execute-by-plan.ts";
import { DocumentStore } from "./limits/document-store.ts";
import { limitRule } from "./limits/limits.ts";
import type { RequestContext } from "./request-context.ts";
import { SavedOperations } from "./saved/saved-operations.ts";

type Executed = { query: string } & OperationRequest["request"];

type ApolloOptions = {
  readonly config: Config;
  readonly schema: GraphQLSchema;
  readonly log: FastifyBaseLogger;
  readonly executions: ExecutionCounts;
  readonly saved?: SavedOperations;
  readonly deprecations?: GeneratedApi["deprecations"];
};

/** An Apollo Server that bypasses Apollo's request pipeline for documents that were parsed and validated earlier. */
export class Apollo extends ApolloServer<RequestContext> {
  /** Cached error responses to invalid documents. */
  readonly refusals: DocumentStore["refusals"];
  readonly #documents: DocumentStore;
  readonly #execute: ExecuteByPlan;
  readonly #deprecation: DeprecationHeaders | undefined;

  constructor({
    config,
    schema,
    log,
    executions,
    saved = new SavedOperations([]),
    deprecations,
  }: ApolloOptions) {
    const { env, production } = config;
    const documents = new DocumentStore(saved);
    const execute = planExecutor(schema, executions, config);
    const { rule, plugin } = hooks(env, execute, documents);
    super({
      schema,
      logger: log,
      nodeEnv: production ? "production" : "development",
      introspection: !production,
      validationOptions: { hideSuggestions: production, maxErrors: 10 },
      includeStacktraceInErrorResponses: false,
      persistedQueries: false,
      documentStore: null,
      stopOnTerminationSignals: false,
      formatError: formatError(config),
      parseOptions: { maxTokens: env.MAX_TOKENS },
      validationRules: [rule, floatRule, ...deferRules],
      plugins: [
        ApolloServerPluginLandingPageDisabled(),
        ApolloServerPluginCacheControlDisabled(),
        ApolloServerPluginInlineTraceDisabled(),
        ApolloServerPluginUsageReportingDisabled(),
        plugin,
      ],
    });
    this.#deprecation = deprecationHeaders(schema, deprecations);
    this.#documents = documents;
    this.refusals = documents.refusals;
    this.#execute = execute;
  }

  /**
   * Executes an operation, without Apollo's pipeline if the document is cached. Awaiting plugins at each of its steps
   * creates 38 of the 63 promises of a small request.
   */
  async execute(request: Executed, contextValue: RequestContext): Promise<GraphQLResponse> {
    const storedDocument = this.#documents.of(request.query);
    const operation = storedDocument && getOperationAST(storedDocument, request.operationName);
    const planned =
      operation && (await this.#execute({ document: storedDocument, operation, request, contextValue }));
    const response = planned ?? (await this.executeOperation(request, { contextValue }));
    if (contextValue.document?.refused) this.refusals.set(request.query, response);
    const document = this.#deprecation && (storedDocument ?? this.#documents.of(request.query));
    for (const [name, value] of (document && this.#deprecation?.(document)) ?? [])
      response.http.headers.set(name, value);
    return response;
  }
}

/** Creates one plugin with all hooks of this service, because Apollo awaits each plugin at each step of a request. */
function hooks(env: Environment, execute: ExecuteByPlan, documents: DocumentStore) {
  const limits = limitRule(env);
  /** Returns the duration of the latest validation, which runs synchronously from the creation of its rules to its end hook. */
  let validationMs = (): number => 0;
  const rule: ValidationRule = (context) => {
    validationMs = startWork();
    return limits(context);
  };
  const listener: GraphQLRequestListener<RequestContext> = {
    parsingDidStart:
      async ({ contextValue: { scope, document }, source }) =>
      async (error) => {
        scope.charge(source.length / documentCharactersPerMs);
        if (error && document) document.refused = true;
      },
    responseForOperation: execute,
    async validationDidStart({ contextValue, source, document }) {
      const { scope, document: state } = contextValue;
      return async (errors) => {
        scope.charge(validationMs());
        if (!errors) documents.keep(source, document);
        else if (state) state.refused = true;
      };
    },
    didEncounterErrors: async ({ contextValue, errors }) => logErrors(contextValue, errors),
  };
  return { rule, plugin: { requestDidStart: async () => listener } };
}

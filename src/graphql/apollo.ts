/** Creates the role's Apollo Server: the whole pipeline without landing page, cache control and stack traces. */
import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestListener } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import type { FastifyBaseLogger } from "fastify";
import type { GraphQLSchema, ValidationRule } from "graphql";
import type { Config } from "../config.ts";
import { processorMs } from "../rest/shares/processor-time.ts";
import { logErrors } from "./errors/log-errors.ts";
import { formatError } from "./errors/mask.ts";
import { grouped, onceEach } from "./errors/repeated-errors.ts";
import { documentStore } from "./limits/document-store.ts";
import { limitRule } from "./limits/limits.ts";
import { noteRefusal } from "./limits/refusals.ts";
import type { RequestContext } from "./request-context.ts";
import { type ExecutionCounts, responseForOperation } from "./response-for-operation.ts";
import { SavedOperations } from "./saved/saved-operations.ts";

/**
 * `executions` counts operations by executor. Without `executions`, graphql-js runs every operation. `saved` keeps the
 * documents of saved operations.
 */
export function createApollo(
  config: Config,
  schema: GraphQLSchema,
  log: FastifyBaseLogger,
  executions: ExecutionCounts | undefined,
  saved = new SavedOperations([]),
): ApolloServer<RequestContext> {
  const { env, production } = config;
  const validation = new ValidationTime();
  return new ApolloServer<RequestContext>({
    schema,
    logger: log,
    nodeEnv: production ? "production" : "development",
    introspection: !production,
    validationOptions: { hideSuggestions: production, maxErrors: 10 },
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    documentStore: documentStore(saved),
    stopOnTerminationSignals: false,
    formatError: formatError(config),
    parseOptions: { maxTokens: env.MAX_TOKENS },
    validationRules: [validation.rule, limitRule(env)],
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      hooks(schema, executions, config, validation),
    ],
  });
}

/** Measures a validation, which runs synchronously from the creation of its first rule to Apollo's end hook. */
class ValidationTime {
  #began = 0;
  readonly rule: ValidationRule = () => {
    this.#began = processorMs();
    return {};
  };

  get ms(): number {
    return processorMs() - this.#began;
  }
}

/** Our hooks share one plugin, because Apollo awaits each plugin at each step of a request. */
function hooks(
  schema: GraphQLSchema,
  executions: ExecutionCounts | undefined,
  config: Config,
  validation: ValidationTime,
): ApolloServerPlugin<RequestContext> {
  const listener: GraphQLRequestListener<RequestContext> = {
    parsingDidStart: async ({ contextValue }) => noteRefusal(contextValue),
    responseForOperation: responseForOperation(schema, executions, config),
    async validationDidStart({ contextValue }) {
      const note = noteRefusal(contextValue);
      return async (errors) => {
        contextValue.scope.worked(validation.ms);
        await note(errors);
      };
    },
    // graphql-js runs introspection, which waits for nothing
    async executionDidStart({ contextValue: { scope } }) {
      const began = processorMs();
      return { executionDidEnd: async () => scope.worked(processorMs() - began) };
    },
    async didEncounterErrors({ contextValue, errors }) {
      logErrors(
        contextValue,
        grouped(errors).map(({ error }) => error),
      );
    },
    async willSendResponse({ errors, response: { body } }) {
      if (errors && body.kind === "single")
        body.singleResult.errors = onceEach(errors, body.singleResult.errors);
    },
  };
  return { requestDidStart: async () => listener };
}

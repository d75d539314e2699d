/** Apollo Server as this role sets it up: its whole pipeline, without its landing page, cache control or stack traces. */
import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestListener } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import type { FastifyBaseLogger } from "fastify";
import type { GraphQLSchema } from "graphql";
import type { Config, Environment } from "../config.ts";
import { documentStore } from "./documents.ts";
import { limitRule } from "./limits.ts";
import { formatError } from "./mask.ts";
import { type Executions, planned } from "./plan/planned.ts";
import { quoteRequestId, report } from "./report.ts";
import type { RequestContext } from "./request-context.ts";

/** `executions` counts operations by what ran them; without it all run on graphql-js. */
export function createApollo(
  { env, production }: Config,
  schema: GraphQLSchema,
  log: FastifyBaseLogger,
  executions: Executions | undefined,
): ApolloServer<RequestContext> {
  return new ApolloServer<RequestContext>({
    schema,
    logger: log,
    nodeEnv: production ? "production" : "development",
    introspection: !production,
    hideSchemaDetailsFromClientErrors: production,
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    documentStore: documentStore(),
    stopOnTerminationSignals: false,
    formatError: formatError(env),
    parseOptions: { maxTokens: env.MAX_TOKENS },
    validationRules: [limitRule(env)],
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      hooks(schema, executions, env),
    ],
  });
}

/** One plugin for all that is ours: Apollo waits for each of them at each step of a request. */
function hooks(
  schema: GraphQLSchema,
  executions: Executions | undefined,
  env: Environment,
): ApolloServerPlugin<RequestContext> {
  const listener: GraphQLRequestListener<RequestContext> = {
    ...(executions && { responseForOperation: planned(schema, executions, env) }),
    async didEncounterErrors({ contextValue, errors }) {
      report(contextValue, errors);
    },
    async willSendResponse(answer) {
      quoteRequestId(answer);
    },
  };
  return { requestDidStart: async () => listener };
}

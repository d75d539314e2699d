/** Creates the `graphql` role: Fastify, Apollo Server with the generated schema, and the REST client. */
import { hostname } from "node:os";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { specifiedRules } from "graphql";
import { StartQueue } from "../runtime/governor/start-queue.ts";
import { compressedPerMs } from "../runtime/governor/work-costs.ts";
import { admissionOf, admitRequests } from "../runtime/graphql/admission.ts";
import { Apollo } from "../runtime/graphql/apollo.ts";
import { Callers } from "../runtime/graphql/callers.ts";
import { buildSchema } from "../runtime/graphql/executable-schema.ts";
import type { ExecutionCounts } from "../runtime/graphql/execute-by-plan.ts";
import { createExplorer, type Samples } from "../runtime/graphql/explorer/explorer.ts";
import { limitRule } from "../runtime/graphql/limits/limits.ts";
import { ResponseCache } from "../runtime/graphql/response-cache/response-cache.ts";
import { routes } from "../runtime/graphql/routes.ts";
import { AppOperations, createOperationValidator } from "../runtime/graphql/saved/app-operations.ts";
import { SavedOperations } from "../runtime/graphql/saved/saved-operations.ts";
import { compressResponses } from "../runtime/http/compress-responses.ts";
import { readKeyScopes } from "../runtime/http/context-headers.ts";
import { allowOrigins, guardMcp } from "../runtime/http/cors.ts";
import { createServer } from "../runtime/http/server.ts";
import { Upstreams } from "../runtime/rest/client.ts";
import { credentialNames } from "../runtime/rest/credentials.ts";
import type { GeneratedApi, ManifestEntry } from "../runtime/rest/generated-api.ts";
import { RequestScope } from "../runtime/rest/request-scope.ts";
import { type Config, ConfigError } from "../runtime/settings/config.ts";
import { deferRules } from "../shared/defer.ts";
import { findHeldErrors, findSubgraphErrors } from "./check-config.ts";
import { UsageLedger } from "./usage-ledger.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The number of operations executed since the start. */
    executions: ExecutionCounts;
    upstreams: Upstreams;
    /** The saved operations of client apps, read from their manifests. */
    apps: AppOperations;
    /** `undefined` without `USAGE_DIR`. */
    usage: UsageLedger | undefined;
  }
}

/** `samples`: the query variables and the API key with which the explorer starts. Throws `ConfigError`. */
export async function createGraphql(
  config: Config,
  api: GeneratedApi,
  samples: Samples = {},
): Promise<FastifyInstance> {
  const { CORS_ORIGINS: origins } = config.env;
  const { operations, savedOperations: entries, specHash } = api;
  const errors = [...findHeldErrors(config, operations), ...findSubgraphErrors(config, api.subgraph)];
  if (errors.length > 0) throw new ConfigError(errors);
  const credentials = credentialNames(operations);
  const server = createServer(config, "graphql", { credentials, specHash });
  const upstreams = new Upstreams(config, operations);
  const executions: ExecutionCounts = { count: 0 };
  const schema = buildSchema(api);
  const saved = createSavedOperations(config, entries);
  const { log } = server;
  const { deprecations } = api;
  const apollo = new Apollo({ config, schema, log, executions, saved, deprecations });
  const rules = [...specifiedRules, limitRule(config.env), ...deferRules];
  const apps = new AppOperations(
    saved,
    createOperationValidator(schema, rules, config.env.MAX_TOKENS),
    server.log,
  );
  await Promise.all([apollo.start(), apps.follow(config.env.OPERATIONS_FROM)]);
  server.decorateRequest("forwarded");
  server.decorate("executions", executions);
  server.decorate("upstreams", upstreams);
  server.decorate("apps", apps);
  const { USAGE_DIR: usageDir, PORT } = config.env;
  const usage = usageDir ? new UsageLedger(usageDir, `${hostname()}-${PORT}`, schema, server.log) : undefined;
  server.decorate("usage", usage);
  server.addHook("onClose", async () => {
    await usage?.close();
    apps.close();
    await apollo.stop();
    await upstreams.close();
  });
  if (config.env.MCP && config.env.GATEWAY_SECRET === undefined) guardMcp(server, origins);
  const { processor, bytes } = upstreams.shares;
  await compressResponses(server, ({ admission }, characters) => {
    if (admission) processor.chargeOtherThread(admission.caller, characters / compressedPerMs);
  });
  await allowOrigins(server, origins, ["GET", "POST"]);
  await server.register(async (scoped) => {
    const callers = new Callers(config, operations);
    const starts = new StartQueue();
    const enter = (request: FastifyRequest) => {
      const { caller, otherCallers } = callers.of(request);
      return processor.enter(caller, otherCallers);
    };
    const admitted = admitRequests(scoped, config.env.MAX_CONCURRENT_REQUESTS, starts, enter);
    server.quotas = { ...admitted, response_bytes: bytes };
    const explored = { schema, operations: entries, credentials };
    const explorer = config.production ? undefined : createExplorer(explored, samples);
    const answers = new ResponseCache(upstreams.cache, starts);
    routes(scoped, config, { apollo, upstreams, callers, answers, saved, explorer });
    if (!config.env.MCP) return;
    const [{ serveMcp }, { toolsOf }] = await Promise.all([
      import("../mcp/mcp.ts"),
      import("../mcp/tools.ts"),
    ]);
    const scopeOf = (request: FastifyRequest) =>
      new RequestScope(config, upstreams.shares, callers.of(request), admissionOf(request));
    const tools = toolsOf(api, schema);
    serveMcp(scoped, {
      tools,
      version: specHash,
      maxOperations: config.env.MAX_OPERATIONS,
      scopeOf,
      grantedScopes: ({ headers }) => readKeyScopes(config.env, headers),
    });
  });
  return server;
}

/** Throws `ConfigError` if only saved operations are allowed but there are none. */
export function createSavedOperations({ env }: Config, entries: readonly ManifestEntry[]): SavedOperations {
  const saved = new SavedOperations(entries);
  if (env.OPERATIONS === "saved" && saved.isEmpty && env.OPERATIONS_FROM.length === 0)
    throw new ConfigError([
      "OPERATIONS: saved needs operations in spec/operations/ (then run npm run codegen), or OPERATIONS_FROM",
    ]);
  return saved;
}

/** The `graphql` role: the generated schema on Apollo Server, behind Fastify, over the REST client. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { specifiedRules } from "graphql";
import { type Config, ConfigError } from "../config.ts";
import { compressResponses } from "../http/compress-responses.ts";
import { allowOrigins, guardMcp } from "../http/cors.ts";
import { createServer } from "../http/server.ts";
import type { GeneratedApi, ManifestEntry } from "../rest/api.ts";
import { Upstreams } from "../rest/client.ts";
import { credentialNames } from "../rest/credentials.ts";
import { RequestScope } from "../rest/request-scope.ts";
import { compressedPerMs } from "../rest/shares/processor-time.ts";
import { admitRequests } from "./admission.ts";
import { Answers } from "./answers/answers.ts";
import { Apollo } from "./apollo.ts";
import { Callers } from "./callers.ts";
import { createExplorer, type Samples } from "./explorer/explorer.ts";
import { limitRule } from "./limits/limits.ts";
import type { ExecutionCounts } from "./response-for-operation.ts";
import { routes } from "./routes.ts";
import { AppOperations, faultFinder } from "./saved/app-operations.ts";
import { SavedOperations } from "./saved/saved-operations.ts";
import { buildSchema } from "./schema.ts";
import { StartQueue } from "./start-queue.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The operations since the start. */
    executions: ExecutionCounts;
    upstreams: Upstreams;
    /** The operations of apps, by their manifests. */
    apps: AppOperations;
  }
}

/** `samples` are what the explorer opens with. Throws `ConfigError`. */
export async function createGraphql(
  config: Config,
  api: GeneratedApi,
  samples: Samples = {},
): Promise<FastifyInstance> {
  const { CORS_ORIGINS: origins } = config.env;
  const { operations, savedOperations: entries, specHash } = api;
  const credentials = credentialNames(operations);
  const server = createServer(config, "graphql", { credentials, specHash });
  const upstreams = new Upstreams(config, operations);
  const executions: ExecutionCounts = { count: 0 };
  const schema = buildSchema(api);
  const saved = savedOperations(config, entries);
  const apollo = new Apollo(config, schema, server.log, executions, saved, api.deprecations);
  const rules = [...specifiedRules, limitRule(config.env)];
  const apps = new AppOperations(saved, faultFinder(schema, rules, config.env.MAX_TOKENS), server.log);
  await Promise.all([apollo.start(), apps.follow(config.env.OPERATIONS_FROM)]);
  server.decorateRequest("forwarded");
  server.decorate("executions", executions);
  server.decorate("upstreams", upstreams);
  server.decorate("apps", apps);
  server.addHook("onClose", async () => {
    apps.close();
    await apollo.stop();
    await upstreams.close();
  });
  if (config.env.MCP && config.env.GATEWAY_SECRET === undefined) guardMcp(server, origins);
  const { processor, bytes } = upstreams.shares;
  await compressResponses(server, ({ caller }, characters) => {
    if (caller) processor.workedElsewhere(caller, characters / compressedPerMs);
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
    server.bounds = { ...admitted, response_bytes: bytes };
    const explored = { schema, operations: entries, credentials };
    const explorer = config.production ? undefined : createExplorer(explored, samples);
    const answers = new Answers(upstreams.cache, starts);
    routes(scoped, config, { apollo, upstreams, callers, answers, saved, explorer, operations });
    if (!config.env.MCP) return;
    const [{ serveMcp }, { toolsOf }] = await Promise.all([import("./mcp/mcp.ts"), import("./mcp/tools.ts")]);
    const scopeOf = (request: FastifyRequest) =>
      new RequestScope(config, upstreams.shares, callers.of(request), request.caller, request.place);
    serveMcp(scoped, toolsOf(api, schema), specHash, config.env.MAX_OPERATIONS, scopeOf);
  });
  return server;
}

/** Throws `ConfigError` if only saved operations may run and none is saved. */
export function savedOperations({ env }: Config, entries: readonly ManifestEntry[]): SavedOperations {
  const saved = new SavedOperations(entries);
  if (env.OPERATIONS === "saved" && saved.isEmpty && env.OPERATIONS_FROM.length === 0)
    throw new ConfigError([
      "OPERATIONS: saved needs operations in spec/operations/, and codegen run on them, or OPERATIONS_FROM",
    ]);
  return saved;
}

/** The `graphql` role: the generated schema on Apollo Server, behind Fastify, over the REST client. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { operations } from "../../../generated/operations.ts";
import { type Config, ConfigError } from "../config.ts";
import { compressResponses } from "../http/compress-responses.ts";
import { allowOrigins } from "../http/cors.ts";
import { createServer } from "../http/server.ts";
import { Upstreams } from "../rest/client.ts";
import { credentialNames } from "../rest/credentials.ts";
import { admitRequests } from "./admission.ts";
import { Answers } from "./answers/answers.ts";
import { createApollo } from "./apollo.ts";
import { Callers } from "./callers.ts";
import { createExplorer } from "./explorer/explorer.ts";
import type { Samples } from "./explorer/page.ts";
import type { ExecutionCounts } from "./response-for-operation.ts";
import { routes } from "./routes.ts";
import { type ManifestEntry, readManifest } from "./saved/manifest.ts";
import { SavedOperations } from "./saved/saved-operations.ts";
import { buildSchema } from "./schema.ts";
import { StartQueue } from "./start-queue.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The operations since the start, by executor. */
    executions: ExecutionCounts;
    upstreams: Upstreams;
  }
}

/** Settings that tests and the process pass beside the configuration. */
type Options = {
  /** `false` runs every operation on graphql-js; tests compare both executors. */
  readonly planned?: boolean;
  /** Operations that the explorer opens with. */
  readonly samples?: Samples;
};

/** Throws `ConfigError`. */
export async function createGraphql(
  config: Config,
  { planned = true, samples = {} }: Options = {},
): Promise<FastifyInstance> {
  const { REST_BASE_URL: base, CORS_ORIGINS: origins } = config.env;
  if (!base)
    throw new ConfigError(["REST_BASE_URL: the graphql role needs it; set it to the REST platform's URL"]);
  const credentials = credentialNames(operations);
  const server = createServer(config, "graphql", credentials);
  const upstreams = new Upstreams(config, base, operations);
  const executions: ExecutionCounts = { planned: 0, interpreted: 0 };
  const schema = buildSchema();
  const entries = readManifest();
  const saved = savedOperations(config, entries);
  const apollo = createApollo(config, schema, server.log, planned ? executions : undefined, saved);
  await apollo.start();
  server.decorateRequest("forwarded");
  server.decorate("executions", executions);
  server.decorate("upstreams", upstreams);
  server.addHook("onClose", async () => {
    await apollo.stop();
    await upstreams.close();
  });
  await compressResponses(server);
  await allowOrigins(server, origins, ["GET", "POST"]);
  await server.register(async (scoped) => {
    const callers = new Callers(config, operations);
    const starts = new StartQueue();
    const { processor, bytes } = upstreams.shares;
    const enter = (request: FastifyRequest) => processor.enter(callers.of(request).caller);
    const admitted = admitRequests(scoped, config.env.MAX_CONCURRENT_REQUESTS, starts, enter);
    server.bounds = { ...admitted, response_bytes: bytes.bound };
    const explored = { schema, operations: entries, credentials };
    const explorer = config.production ? undefined : createExplorer(explored, samples);
    const answers = new Answers(upstreams.cache, starts);
    routes(scoped, config, { apollo, upstreams, callers, answers, saved, explorer });
  });
  return server;
}

/** Throws `ConfigError` if only saved operations may run and none is saved. */
export function savedOperations({ env }: Config, entries: readonly ManifestEntry[]): SavedOperations {
  const saved = new SavedOperations(entries);
  if (env.OPERATIONS === "saved" && saved.isEmpty)
    throw new ConfigError([
      "OPERATIONS: saved needs operations in spec/operations/, and codegen run on them",
    ]);
  return saved;
}

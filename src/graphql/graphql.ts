/** The `graphql` role: the generated schema on Apollo Server, behind Fastify, over the REST client. */
import type { FastifyInstance } from "fastify";
import { operations } from "../../generated/operations.ts";
import { type Config, ConfigError } from "../config.ts";
import { allowOrigins } from "../http/cors.ts";
import { createServer } from "../http/server.ts";
import { Upstreams } from "../rest/client.ts";
import { letAbandonedErrorsGo } from "./abandoned-errors.ts";
import { createApollo } from "./apollo.ts";
import { shedOverload } from "./overload.ts";
import { paceRequests } from "./pace.ts";
import type { Executions } from "./plan/planned.ts";
import { routes } from "./route.ts";
import { buildSchema } from "./schema.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Operations run since the start, by a plan or on graphql-js. */
    executions: Executions;
  }
}

/** `planned: false` leaves every operation to graphql-js, as tests do to compare. Throws `ConfigError`. */
export async function createGraphql(config: Config, { planned = true } = {}): Promise<FastifyInstance> {
  const { REST_BASE_URL: base, CORS_ORIGINS: origins } = config.env;
  if (!base)
    throw new ConfigError(["REST_BASE_URL: the graphql role needs it; set it to the REST platform's URL"]);
  letAbandonedErrorsGo();
  const server = createServer(config);
  const upstreams = new Upstreams(config, base, operations);
  const executions: Executions = { planned: 0, interpreted: 0 };
  const apollo = createApollo(config, buildSchema(), server.log, planned ? executions : undefined);
  await apollo.start();
  server.decorate("executions", executions);
  server.addHook("onClose", async () => {
    await apollo.stop();
    await upstreams.close();
  });
  await allowOrigins(server, origins, ["GET", "POST"]);
  await server.register(async (scoped) => {
    shedOverload(scoped, config.env.MAX_CONCURRENT_REQUESTS);
    paceRequests(scoped);
    routes(scoped, config, apollo, upstreams);
  });
  return server;
}

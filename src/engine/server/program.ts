/**
 * Composition root: starts the configured roles. The roles named on the command line (default: all) run in this process, each on
 * a separate socket, so that the same code runs in one process or in several. The first of gateway, graphql and platform is the
 * front and listens on `PORT`; the others listen on loopback ports.
 */
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import {
  type Config,
  ConfigError,
  type Role,
  roleNames,
  withProperties,
} from "../runtime/settings/config.ts";
import type { Environment } from "../runtime/settings/environment.ts";
import type { Service } from "./service.ts";

/** `servers` are in the order in which they stop: the front first, `/metrics` last. */
export type RunningRoles = {
  url: URL;
  metrics?: URL;
  servers: FastifyInstance[];
  /** Flushes pending spans and metrics. Must be called after the servers are closed. */
  end: () => Promise<void>;
};

/** Starts the roles, the front last. If one cannot start, stops the others and throws `ConfigError`. */
export async function start(given: Config, service: Service): Promise<RunningRoles> {
  const roles: Map<Role, FastifyInstance> = new Map();
  const running = (): FastifyInstance[] => [...roles.values()].reverse();
  try {
    const url = await startRoles(given, service, roles);
    const [front] = running() as [FastifyInstance, ...FastifyInstance[]];
    given.secretFiles.report = (line) => front.log.warn(line);
    const ends: (() => void | Promise<void>)[] = [];
    if (given.traces) {
      const { startTraces } = await import("../runtime/observe/traces.ts");
      ends.push(startTraces(given.traces, service.name, front.log));
    }
    const hasPort = given.env.METRICS_PORT !== undefined;
    let metrics: FastifyInstance | undefined;
    if (hasPort || given.metrics) {
      const { createMetricsServer, measure } = await import("./metrics/metrics.ts");
      const { specHash } = await service.api();
      const measured = measure(given, roles, specHash);
      if (given.metrics) {
        const { sendMetrics } = await import("./metrics/otlp-metrics.ts");
        ends.push(sendMetrics(measured, given.metrics, service.name, front.log));
      }
      if (hasPort) metrics = createMetricsServer(given, measured, specHash);
      else ends.push(measured.end);
    }
    const end = async (): Promise<void> => {
      for (const stop of ends) await stop();
    };
    if (!metrics) return { url, servers: running(), end };
    return {
      url,
      metrics: await listen(metrics, given, "METRICS_PORT"),
      servers: [...running(), metrics],
      end,
    };
  } catch (error) {
    for (const server of running()) await server.close();
    throw error;
  }
}

async function startRoles(given: Config, service: Service, roles: Map<Role, FastifyInstance>): Promise<URL> {
  const api = await service.api();
  const platform = given.roles.has("platform") ? await service.platform?.() : undefined;
  const front = roleNames.find((role) => given.roles.has(role));
  let config = withSecret(given);
  let url = new URL("http://127.0.0.1");
  const open = async (role: Role, create: (config: Config) => Promise<FastifyInstance>): Promise<URL> => {
    const server = await create(withHeaderAllowance(role, role === front ? config : behindFront(config)));
    roles.set(role, server);
    if (role === front) platform?.addPages(server, config);
    url = await (role === front ? listen(server, config, "PORT") : listen(server));
    return url;
  };
  if (platform) {
    const rest = await open("platform", (configured) => platform.create(configured, api.specHash));
    const keyIntrospection = new URL(platform.keyIntrospection, rest);
    config = withEnvironment(config, { REST_BASE_URL: rest, KEY_INTROSPECTION_URL: keyIntrospection });
  }
  if (config.roles.has("graphql")) {
    const { createGraphql } = await import("./graphql-role.ts");
    const url = await open("graphql", (configured) =>
      createGraphql(configured, api, platform?.samples(config)),
    );
    config = withEnvironment(config, { GRAPHQL_URL: url });
  }
  if (config.roles.has("gateway")) {
    const { createGateway } = await import("../gateway/gateway.ts");
    await open("gateway", (configured) => createGateway(configured, behindGateway(config), api));
  }
  return url;
}

/** The gateway and the roles behind it in the same process share a secret. It is generated if none is configured. */
const withSecret = (config: Config): Config =>
  config.env.GATEWAY_SECRET !== undefined || !config.roles.has("gateway") || config.roles.size === 1
    ? config
    : withEnvironment(config, { GATEWAY_SECRET: randomBytes(32).toString("base64url") });

/** Disables CORS for the roles behind the front, because browsers connect only to the front. */
const behindFront = (config: Config): Config => withEnvironment(config, { CORS_ORIGINS: [] });

/** Raises the header limits of roles behind a gateway, because the gateway adds headers to each request. */
const withHeaderAllowance = (role: Role, config: Config): Config =>
  role === "gateway" || config.env.GATEWAY_SECRET === undefined
    ? config
    : withEnvironment(config, {
        MAX_HEADERS: config.env.MAX_HEADERS + 16,
        MAX_HEADER_BYTES: config.env.MAX_HEADER_BYTES + 16_384,
      });

function behindGateway({ env }: Config) {
  const { REST_BASE_URL: rest, KEY_INTROSPECTION_URL: keyIntrospection, GRAPHQL_URL: graphql } = env;
  return {
    ...(rest && { rest }),
    ...(keyIntrospection && { keyIntrospection }),
    ...(graphql && { graphql, ...(env.MCP && { mcp: graphql }) }),
  };
}

const withEnvironment = (config: Config, changes: Partial<Environment>): Config =>
  Object.freeze({ ...config, env: withProperties(config.env, Object.getOwnPropertyDescriptors(changes)) });

/** Listens on the configured host and port. Without `config`, listens on a free loopback port. */
async function listen(
  server: FastifyInstance,
  config?: Config,
  variable: "PORT" | "METRICS_PORT" = "PORT",
): Promise<URL> {
  const host = config?.env.HOST ?? "127.0.0.1";
  const port = config?.env[variable] ?? 0;
  try {
    await server.listen({ port, host });
  } catch (error) {
    throw listenError(error, host, port, variable);
  }
  const shown = /^(?:0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : host;
  const { port: taken } = server.server.address() as AddressInfo;
  return new URL(`http://${shown.includes(":") ? `[${shown}]` : shown}:${taken}`);
}

/** Returns a `ConfigError` that names the wrong setting, or the error itself if no setting can fix it. */
export function listenError(
  error: unknown,
  host: string,
  port: number,
  variable: "PORT" | "METRICS_PORT",
): unknown {
  const noAddress = `HOST: ${host} is not an address of this machine`;
  const remedies = new Map([
    [
      "EADDRINUSE",
      `${variable}: ${port} on ${host} is in use; stop the process that listens there or set another ${variable}`,
    ],
    ["EACCES", `${variable}: ${port} needs privileges that this user lacks; set a ${variable} above 1023`],
    ...["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"].map((code) => [code, noAddress] as const),
  ]);
  const remedy = remedies.get(String((error as NodeJS.ErrnoException).code));
  return remedy === undefined ? error : new ConfigError([remedy]);
}

/**
 * `/metrics` on a port of its own, in Prometheus' text format: the requests that each role answers, the calls that it
 * makes, what ran the operations, and the process. Requests and calls are seen through the diagnostics channels of Node
 * and undici, named after OpenTelemetry's conventions, so that no role knows of it and nothing is measured without it.
 */
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { Config, Role } from "../config.ts";
import { createServer } from "../http/server.ts";

/** The roles that run in this process. */
export type Servers = ReadonlyMap<Role, FastifyInstance>;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Makes the server of `/metrics`; it does not listen yet. Once a process, because channels are the process's. */
export function createMetrics(config: Config, servers: Servers): FastifyInstance {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureRequests(registry, servers);
  measureCalls(registry);
  const graphql = servers.get("graphql");
  if (graphql) countOperations(registry, graphql);
  const server = createServer(config);
  server.get("/metrics", async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  return server;
}

/** Requests or calls in progress: their start, in ms, and their status. */
type InProgress<Of extends object> = WeakMap<Of, { readonly since: number; status?: number }>;

const elapsed = (since: number): number => (performance.now() - since) / 1_000;

function measureRequests(registry: Registry, servers: Servers): void {
  const duration = new Histogram({
    name: "http_server_request_duration_seconds",
    help: "Requests that a role has answered, from their head to the end of the answer.",
    labelNames: ["role", "http_response_status_code"],
    buckets: seconds,
    registers: [registry],
  });
  const roles = new Map([...servers].map(([role, { server }]) => [server, role]));
  const underWay: InProgress<IncomingMessage> = new WeakMap();
  type Message = { request: IncomingMessage; response: ServerResponse; server: Server };
  subscribe("http.server.request.start", (message) => {
    underWay.set((message as Message).request, { since: performance.now() });
  });
  subscribe("http.server.response.finish", (message) => {
    const { request, response, server } = message as Message;
    const [role, begun] = [roles.get(server), underWay.get(request)];
    if (!role || !begun) return;
    duration.observe({ role, http_response_status_code: response.statusCode }, elapsed(begun.since));
  });
}

function measureCalls(registry: Registry): void {
  const duration = new Histogram({
    name: "http_client_request_duration_seconds",
    help: "Calls of this process: REST, key introspection, what the gateway forwards.",
    labelNames: ["server_address", "server_port", "http_response_status_code", "error_type"],
    buckets: seconds,
    registers: [registry],
  });
  type Call = { readonly origin: string };
  const underWay: InProgress<Call> = new WeakMap();
  const ended = (call: Call, errorType?: string): void => {
    const begun = underWay.get(call);
    if (!begun) return;
    underWay.delete(call); // an answer that breaks off has its head, and then an error
    const { hostname, port, protocol } = new URL(call.origin);
    const outcome = errorType ? { error_type: errorType } : { http_response_status_code: begun.status ?? 0 };
    const upstream = { server_address: hostname, server_port: port || (protocol === "https:" ? 443 : 80) };
    duration.observe({ ...upstream, ...outcome }, elapsed(begun.since));
  };
  subscribe("undici:request:create", (message) => {
    underWay.set((message as { request: Call }).request, { since: performance.now() });
  });
  subscribe("undici:request:headers", (message) => {
    const { request, response } = message as { request: Call; response: { statusCode: number } };
    const begun = underWay.get(request);
    if (begun) begun.status = response.statusCode;
  });
  subscribe("undici:request:trailers", (message) => ended((message as { request: Call }).request));
  subscribe("undici:request:error", (message) => {
    const { request, error } = message as { request: Call; error: Error & { code?: string } };
    ended(request, error.code ?? error.name);
  });
}

function countOperations(registry: Registry, { executions }: FastifyInstance): void {
  new Counter({
    name: "graphql_operations_total",
    help: "Operations by what ran them: a compiled plan, or graphql-js.",
    labelNames: ["executor"],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ executor: "plan" }, executions.planned);
      this.inc({ executor: "graphql-js" }, executions.interpreted);
    },
  });
}

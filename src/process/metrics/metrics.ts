/**
 * `/metrics` on a port of its own, in Prometheus' text format: the requests that each role answers, the saved operations,
 * the REST calls, the state of upstreams and of key checks, and the process. Names follow OpenTelemetry's conventions.
 * Nothing is measured without it.
 */
import type { FastifyInstance } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { specHash } from "../../../generated/spec.ts";
import type { Config, Role } from "../../config.ts";
import { createServer } from "../../http/server.ts";
import { subscribe } from "../../observe/observer.ts";
import { measureKeyChecks } from "./gateway.ts";
import { measureOutgoingCalls } from "./outgoing-calls.ts";
import { measureRequests } from "./requests.ts";
import { measureRestCalls } from "./rest-calls.ts";

/** The roles that run in this process. */
export type Servers = ReadonlyMap<Role, FastifyInstance>;

/** Makes the server of `/metrics`; it does not listen yet. Once a process, because channels are the process's. */
export function createMetrics(config: Config, servers: Servers): FastifyInstance {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const gauge of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`nodejs_active_${gauge}_total`); // a gauge is no total: `promtool` refuses the name
  new Gauge({
    name: "build_info",
    help: "What this process was built and generated from.",
    labelNames: ["build", "spec"],
    registers: [registry],
  }).set({ build: config.env.BUILD, spec: specHash }, 1);
  measureOutgoingCalls(registry);
  const ends = [subscribe(measureRequests(registry, servers))];
  const [graphql, gateway] = [servers.get("graphql"), servers.get("gateway")];
  if (graphql) {
    countExecutions(registry, graphql);
    ends.push(subscribe(measureRestCalls(registry, graphql.upstreams)));
  }
  if (gateway) measureKeyChecks(registry, gateway.keyChecks);
  const server = createServer(config);
  server.addHook("onClose", async () => {
    for (const end of ends) end();
  });
  server.get("/metrics", async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  return server;
}

function countExecutions(registry: Registry, { executions }: FastifyInstance): void {
  new Counter({
    name: "graphql_executions_total",
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

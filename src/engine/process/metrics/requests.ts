/**
 * Measures the requests of each role, and the saved operations among them. Clients cannot add labels: roles, routes,
 * statuses, codes and bounds come from closed lists, operations have the names of saved ones, and apps those of manifests.
 */
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import type { Role } from "../../config.ts";
import type { AppOperations } from "../../graphql/saved/app-operations.ts";
import { graphqlPath } from "../../http/error-response.ts";
import type { Observer } from "../../observe/observer.ts";
import { qualifiedName, type RequestRecord } from "../../observe/records.ts";
import { addMetric, counters, histograms } from "./families.ts";

/** The roles that run in this process. */
export type Servers = ReadonlyMap<Role, FastifyInstance>;

/** The label of every operation that is not saved, and of names beyond a bound. */
const other = "other";
/** Operations with labels of their own. A histogram of each has 16 series. */
const mostOperations = 2_000;
/** Versions of one app. Clients give them, so their number must be bounded here. */
const mostVersions = 20;

export function measureRequests(registry: Registry, servers: Servers): Observer {
  const duration = histograms(
    registry,
    "http_server_request_duration_seconds",
    "Requests of a role, from their head to the end of the answer. 499: the client left before.",
    (role: string, http_route: string, status: number) => ({
      role,
      http_route,
      http_response_status_code: String(status),
    }),
  );
  const errors = counters(
    registry,
    "http_server_request_errors_total",
    "Requests that a role answered with an error, by its code and by the limit or bound that refused it.",
    (role: string, code: string, reason: string) => ({ role, code, reason }),
  );
  const underWay = new Map<string, number>();
  const operations = measureOperations(registry);
  gauges(registry, servers, underWay);
  return {
    requestBegan({ face: { role } }) {
      underWay.set(role, (underWay.get(role) ?? 0) + 1);
    },
    requestEnded(request) {
      const { face, route, status, ms, code, reason = "" } = request;
      const { role } = face;
      underWay.set(role, (underWay.get(role) ?? 0) - 1);
      if (role === "metrics") return;
      duration(role, route, status).add(ms / 1_000);
      if (code !== undefined) errors(role, code, reason).value++;
      if (role === "graphql" && route === graphqlPath) operations(request);
    },
  };
}

/** Rate, errors and duration of each saved operation. */
function measureOperations(registry: Registry): (request: RequestRecord) => void {
  const duration = histograms(
    registry,
    "graphql_operation_duration_seconds",
    "Operations by the name of the saved operation; any other is `other`.",
    (operation: string) => ({ operation }),
  );
  const errors = counters(
    registry,
    "graphql_operation_errors_total",
    "Operations with at least one error, by the code of the first.",
    (operation: string, code: string) => ({ operation, code }),
  );
  const names = new Set<string>();
  const countRun = measureClients(registry);
  return (request) => {
    const { operation: saved, ms, code } = request;
    const operation = bounded(names, mostOperations, saved ? qualifiedName(saved) : other);
    countRun(request, operation);
    duration(operation).add(ms / 1_000);
    if (code !== undefined) errors(operation, code).value++;
  };
}

/** The name, or `other` if `names` has too many others. */
function bounded(names: Set<string>, most: number, name: string): string {
  const label = names.size < most || names.has(name) ? name : other;
  names.add(label);
  return label;
}

/** Who runs what: a client that names an app of a manifest, its version, and the operation. */
function measureClients(registry: Registry): (request: RequestRecord, operation: string) => void {
  const runs = counters(
    registry,
    "graphql_client_operations_total",
    "Operations by the app that the client names, or else the operation's, and by the client's version.",
    (app: string, version: string, operation: string) => ({ app, version, operation }),
  );
  const versions = new Map<string, Set<string>>();
  return ({ app: named, client, operation: saved }, operation) => {
    const app = named ?? saved?.app ?? "";
    const given = named === undefined ? "" : (client?.version ?? "");
    const known = versions.get(app) ?? new Set();
    versions.set(app, known);
    runs(app, bounded(known, mostVersions, given), operation).value++;
  };
}

/** What the manifests of apps have, and what of it cannot be served. */
export function measureManifests(registry: Registry, apps: AppOperations): void {
  const gauge = (name: string, help: string, read: () => Iterable<string>): void =>
    addMetric(registry, "gauge", name, help, () => {
      const counts = new Map([...apps.counts].map(([app]) => [app, 0]));
      for (const app of read()) counts.set(app, (counts.get(app) ?? 0) + 1);
      return [...counts].map(([app, value]) => ({ labels: { app }, value }));
    });
  addMetric(
    registry,
    "gauge",
    "graphql_manifest_operations",
    "Operations in the manifests of each app.",
    () => [...apps.counts].map(([app, value]) => ({ labels: { app }, value })),
  );
  gauge("graphql_manifest_refused_operations", "Operations of manifests that are refused.", () =>
    apps.refused.map(({ app }) => app),
  );
  gauge("graphql_manifest_faults", "Manifests that cannot be read now; the last good state serves.", () =>
    apps.faults.map(({ app }) => app),
  );
}

function gauges(registry: Registry, servers: Servers, underWay: ReadonlyMap<string, number>): void {
  const gauge = (
    name: string,
    help: string,
    read: (server: FastifyInstance, role: Role) => number | Promise<number>,
  ): void =>
    addMetric(registry, "gauge", name, help, () =>
      Promise.all(
        [...servers].map(async ([role, server]) => ({ labels: { role }, value: await read(server, role) })),
      ),
    );
  gauge("http_server_active_requests", "Requests under way.", (_, role) => underWay.get(role) ?? 0);
  gauge(
    "http_server_connections",
    "Open connections of clients.",
    ({ server }) => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  );
  gauge(
    "http_server_connections_limit",
    "Connections that clients may have.",
    (server) => server.mostConnections,
  );
  const ofBounds = (name: string, help: string, part: "held" | "total"): void =>
    addMetric(registry, "gauge", name, help, () =>
      [...servers].flatMap(([role, { bounds }]) =>
        Object.entries(bounds).map(([bound, { [part]: value }]) => ({ labels: { role, bound }, value })),
      ),
    );
  ofBounds("bounds_held", "What callers hold of each bound: requests, places, bytes.", "held");
  ofBounds("bounds_limit", "What all callers may hold of each bound.", "total");
  gauge("ready", "1: `/readyz` says 200.", ({ unready }) => (unready.size === 0 ? 1 : 0));
}

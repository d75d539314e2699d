/**
 * Measures the requests of each role, and the saved operations that these requests run. Clients cannot create unlimited label
 * values: roles, routes, methods, schemes, statuses, codes and quotas are closed lists, operation names come from saved
 * operations, app names come from manifests, and the number of client versions is limited.
 */
import type { FastifyInstance } from "fastify";
import type { AppOperations } from "../../runtime/graphql/saved/app-operations.ts";
import { graphqlPath } from "../../runtime/http/endpoint-paths.ts";
import type { Observer } from "../../runtime/observe/observer.ts";
import {
  knownMethod,
  type OperationName,
  qualifiedName,
  type RequestRecord,
} from "../../runtime/observe/request-record.ts";
import type { Role } from "../../runtime/settings/config.ts";
import { labels, type MetricFamilies } from "./metric-families.ts";

/** The roles that run in this process. */
export type Servers = ReadonlyMap<Role, FastifyInstance>;

/** The label value for operations that are not saved, and for names and versions beyond a limit. */
const other = "other";
/** Maximum number of operation names that counters use as labels, in total and per app. */
const maxOperationLabels = { ofAll: 2_000, ofApp: 500 };
/**
 * Maximum number of operations with a histogram (17 series each), in total and per app. The operations that run first get half of
 * the histograms. The other half is for operations that have run at least `often` times.
 */
const maxHistograms = { ofAll: 300, ofApp: 150, often: 100 };
/**
 * Maximum number of combinations of app, version and operation. After `detailed` combinations, the version in a new combination
 * is `other`. After `all` combinations, its operation is `other` too.
 */
const maxClientLabels = { detailed: 5_000, all: 10_000 };
/** Maximum number of version labels per app, because clients choose the versions. */
const maxVersionLabels = 20;

export function measureRequests(families: MetricFamilies, servers: Servers): Observer {
  const duration = families.histograms(
    "http_server_request_duration_seconds",
    "Time from the headers of a request to the end of its response, by role, route and status. `/v1/*` is a REST call through the gateway; 499 means that the client left. `error_type`: the code of a response with status 5xx.",
    labels(
      "role",
      "http_request_method",
      "url_scheme",
      "http_route",
      "http_response_status_code",
      "error_type",
    ),
  );
  const errors = families.counters(
    "http_server_request_errors_total",
    "Requests that a role answered with an error, by its code and by the limit or quota that refused it: `MAX_DEPTH`, `key_rate`, `event_loop`, … The reasons of `UNAUTHENTICATED` are `no_key`, `not_a_key`, `refused_key` and `refused_token`.",
    labels("role", "code", "reason"),
  );
  let invalidProofs = 0;
  families.observableCounter(
    "graphql_invalid_gateway_proofs_total",
    "Requests whose gateway proof does not match the `GATEWAY_SECRET` of this process. Their context headers were dropped.",
    [],
    () => [[invalidProofs]],
  );
  const inFlight = new Map<string, number>();
  const operations = measureOperations(families);
  measureServers(families, servers, inFlight);
  return {
    requestBegan({ serverInfo: { role } }) {
      inFlight.set(role, (inFlight.get(role) ?? 0) + 1);
    },
    requestEnded(request) {
      const { serverInfo, route, status, ms, code, reason = "" } = request;
      const { role } = serverInfo;
      inFlight.set(role, (inFlight.get(role) ?? 0) - 1);
      if (role === "metrics") return;
      if (request.hasWrongProof) invalidProofs++;
      const scheme = request.url?.scheme === "https" ? "https" : "http"; // a client may send any `X-Forwarded-Proto`
      const errorType = status >= 500 ? (code ?? status) : "";
      duration(role, knownMethod(request.method), scheme, route, status, errorType).add(ms / 1_000);
      if (code !== undefined) errors(role, code, reason).value++;
      if (role === "graphql" && route === graphqlPath) operations(request);
    },
  };
}

/** Measures rate, errors and duration of each saved operation, and the apps that run it. */
function measureOperations(families: MetricFamilies): (request: RequestRecord) => void {
  const duration = families.histograms(
    "graphql_operation_duration_seconds",
    "Operations by the name of the saved operation (`shop/Orders` is `Orders` of the app `shop`). `other`: operations that are not saved, and saved ones beyond 150 of an app or 300 in all. Half of these are for operations that have run 100 times.",
    labels("operation"),
  );
  const errors = families.counters(
    "graphql_operation_errors_total",
    "Operations with at least one error, by the code of the first. `operation` as in `graphql_client_operations_total`.",
    labels("operation", "code"),
  );
  const runs = families.counters(
    "graphql_client_operations_total",
    "Operations by app, client version and operation. The app is the one that the client names in `apollographql-client-name` or `graphql-client-name`, if it has a manifest, and otherwise the operation's. `other`: operations that are not saved, and saved ones beyond the first 500 of an app or 2,000 in all; versions beyond 20 of an app, or 5,000 combinations.",
    labels("app", "version", "operation"),
  );
  const names = new Set<string>();
  const namesOfApps = new Map<string | undefined, Set<string>>();
  const labelOf = (saved: OperationName): string => {
    const ofApp = namesOfApps.get(saved.app) ?? new Set();
    namesOfApps.set(saved.app, ofApp);
    return bounded(
      names,
      maxOperationLabels.ofAll,
      bounded(ofApp, maxOperationLabels.ofApp, qualifiedName(saved)),
    );
  };
  const histogramOf = histogramLabel();
  const versions = new Map<string, Set<string>>();
  const clients = new Set<string>();
  return ({ operation: saved, ms, code, app: named, client }) => {
    const operation = saved ? labelOf(saved) : other;
    duration(saved ? histogramOf(saved) : other).add(ms / 1_000);
    if (code !== undefined) errors(operation, code).value++;
    const app = named ?? saved?.app ?? "";
    const version = named === undefined ? "" : (client?.version ?? "");
    const versionsOfApp = versions.get(app) ?? new Set();
    versions.set(app, versionsOfApp);
    const label = bounded(versionsOfApp, maxVersionLabels, version);
    const isBelow = (most: number, of: string): boolean =>
      bounded(clients, most, `${operation} ${of} ${app}`) !== other;
    if (isBelow(maxClientLabels.detailed, label)) runs(app, label, operation).value++;
    else if (isBelow(maxClientLabels.all, other)) runs(app, other, operation).value++;
    else runs(app, other, other).value++;
  };
}

/** Creates the function that chooses histogram labels. An operation keeps its label, because series must not vanish. */
function histogramLabel(): (saved: OperationName) => string {
  const { ofAll, ofApp, often } = maxHistograms;
  const labelled = new Set<string>();
  const labelledOfApps = new Map<string | undefined, number>();
  const runs = new Map<string, number>();
  return (saved) => {
    const name = qualifiedName(saved);
    if (labelled.has(name)) return name;
    const count = (runs.get(name) ?? 0) + 1;
    const part = count < often ? 1 / 2 : 1;
    const labelledOfApp = labelledOfApps.get(saved.app) ?? 0;
    if (labelled.size < ofAll * part && labelledOfApp < ofApp * part) {
      labelled.add(name);
      labelledOfApps.set(saved.app, labelledOfApp + 1);
      runs.delete(name);
      return name;
    }
    if (labelled.size < ofAll) runs.set(name, count);
    return other;
  };
}

/** Returns the name, or `other` if `names` already has `most` different names. */
function bounded(names: Set<string>, most: number, name: string): string {
  const label = names.size < most || names.has(name) ? name : other;
  names.add(label);
  return label;
}

/** Measures how many operations the manifests of each app contain, and how many of these cannot be served. */
export function measureManifests(families: MetricFamilies, apps: AppOperations): void {
  const gauge = (name: string, help: string, rows: () => Iterable<[string, number]>): void =>
    families.observableGauge(name, help, ["app"], rows);
  const count = (items: Iterable<{ readonly app: string }>): Map<string, number> => {
    const counts = new Map([...apps.counts].map(([app]) => [app, 0]));
    for (const { app } of items) counts.set(app, (counts.get(app) ?? 0) + 1);
    return counts;
  };
  gauge(
    "graphql_manifest_operations",
    "Operations in the manifests of each app of `OPERATIONS_FROM`.",
    () => apps.counts,
  );
  const refused = "Operations in manifests that are refused. The log contains the reason of each.";
  gauge("graphql_manifest_refused_operations", refused, () => count(apps.refused));
  const errors = "Manifests that currently cannot be read. Their last valid content is used.";
  gauge("graphql_manifest_errors", errors, () => count(apps.faults));
  const unavailable =
    "1: since the start, every manifest of the app was unreadable or too large, so all its operations are refused.";
  gauge("graphql_manifest_unavailable", unavailable, () =>
    count([...apps.unavailable].map((app) => ({ app }))),
  );
}

function measureServers(
  families: MetricFamilies,
  servers: Servers,
  inFlight: ReadonlyMap<string, number>,
): void {
  const gauge = (
    name: string,
    help: string,
    read: (server: FastifyInstance, role: Role) => number | Promise<number>,
  ): void =>
    families.observableGauge(name, help, ["role"], () =>
      Promise.all([...servers].map(async ([role, server]) => [role, await read(server, role)] as const)),
    );
  gauge("http_server_active_requests", "Requests in flight.", (_, role) => inFlight.get(role) ?? 0);
  gauge(
    "http_server_connections",
    "Open client connections.",
    ({ server }) => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  );
  const most = "Maximum number of client connections.";
  gauge("http_server_connections_limit", most, (server) => server.mostConnections);
  const ofQuotas = (name: string, help: string, part: "used" | "total"): void =>
    families.observableGauge(name, help, ["role", "quota"], () =>
      [...servers].flatMap(([role, { quotas }]) =>
        Object.entries(quotas).map(([quota, { [part]: value }]) => [role, quota, value] as const),
      ),
    );
  ofQuotas(
    "quota_usage",
    "Usage of each quota (requests, slots or bytes) by all callers. It is 0 when no request is in flight.",
    "used",
  );
  ofQuotas("quota_limit", "Limit of each quota for all callers together.", "total");
  gauge("ready", "1: `/readyz` returns 200.", ({ unready }) => Number(unready.size === 0));
}

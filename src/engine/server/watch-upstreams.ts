/**
 * Waits for services in other processes. Until key introspection, `graphql` and at least one product have answered a probe,
 * `/readyz` returns 503, and the log has a line with the reason. Unreachable services do not prevent the start, so that services
 * may start in any order. An outage of one product must not make the others unavailable: when another product is served, a
 * product that has not answered is only a warning, and a service that has answered is not probed again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { type Lookup, lookupCache } from "../runtime/dns/lookup-cache.ts";
import { pathBelowBase } from "../runtime/rest/upstream/base-urls.ts";
import type { Config } from "../runtime/settings/config.ts";
import type { Operations } from "../shared/operation.ts";
import { productsOf } from "./check-config.ts";
import { codeWords, describeFailure, type ProbeOperation, probeGraphql, probeRest } from "./probe.ts";
import type { ProcessLogger } from "./process-logger.ts";

const pauseMs = 1_000;

/** A service behind this process. `probe` resolves with `undefined`, or with the reason for a failure, or rejects. */
type Backend = {
  readonly variable: string;
  readonly url: URL;
  /** Whether the service is the REST API of products. The process may serve other products without it. */
  readonly isRest?: true;
  probe(): Promise<string | undefined>;
};

/** Resolves after the first probe of each service. Unreachable services are probed again in the background. */
export async function watchUpstreams(
  front: FastifyInstance | undefined,
  config: Config,
  operations: Operations,
  logger: ProcessLogger,
): Promise<void> {
  if (!front) return;
  const services = [...needed(config, operations)];
  const waiting = new Waiting(front, servesWithoutRest(config));
  front.unready.add(starting);
  const failures = await Promise.all(services.map(failureOf));
  for (const [index, service] of services.entries())
    if (failures[index] === undefined) waiting.reached(service);
  for (const [index, service] of services.entries()) {
    const failure = failures[index];
    if (failure === undefined) watchName(front, service, logger);
    else void waitFor(service, failure, waiting, logger);
  }
  front.unready.delete(starting);
}

/** The reason that `/readyz` gives until the first probes have finished. */
const starting = "starting";

/** Whether products are served without calling REST from here: by the platform, or through another `graphql` role. */
const servesWithoutRest = ({ roles, env }: Config): boolean =>
  roles.has("platform") || (roles.has("gateway") && !roles.has("graphql") && env.GRAPHQL_URL !== undefined);

/** The services that have not answered a probe yet, with the reasons, which `/readyz` lists. */
class Waiting {
  readonly front: FastifyInstance;
  readonly #reasons = new Map<Backend, string>();
  #servesProducts: boolean;

  constructor(front: FastifyInstance, servesProducts: boolean) {
    this.front = front;
    this.#servesProducts = servesProducts;
  }

  isOptional({ isRest }: Backend): boolean {
    return isRest === true && this.#servesProducts;
  }

  fails(service: Backend, reason: string): void {
    this.#remove(service);
    this.#reasons.set(service, reason);
    if (this.isOptional(service)) this.front.warnings.add(reason);
    else this.front.unready.add(reason);
  }

  reached(service: Backend): void {
    this.#remove(service);
    if (!service.isRest || this.#servesProducts) return;
    this.#servesProducts = true;
    for (const [other, reason] of [...this.#reasons]) this.fails(other, reason);
  }

  #remove(service: Backend): void {
    const reason = this.#reasons.get(service) ?? "";
    this.#reasons.delete(service);
    this.front.unready.delete(reason);
    this.front.warnings.delete(reason);
  }
}

const failureOf = (service: Backend): Promise<string | undefined> => service.probe().catch(describeFailure);

function* needed(config: Config, operations: Operations): Iterable<Backend> {
  const { roles, env, upstreams } = config;
  const { REST_BASE_URL: rest, KEY_INTROSPECTION_URL: keys, GRAPHQL_URL: graphql } = env;
  const ofRest = (variable: string, url: URL, tag?: string): Backend => {
    const operation = probed(operations, upstreams, tag);
    return { variable, url, isRest: true, probe: () => probeRest(url, operation, env) };
  };
  if (!roles.has("platform") && rest) yield ofRest("REST_BASE_URL", rest);
  if (!roles.has("platform") && roles.has("gateway") && keys)
    yield {
      variable: "KEY_INTROSPECTION_URL",
      url: keys,
      probe: async () =>
        (await import("../gateway/key-introspection.ts")).probeKeyIntrospection(config, keys),
    };
  const products = productsOf(operations);
  if (roles.has("graphql"))
    for (const [tag, url] of upstreams) if (products.has(tag)) yield ofRest(`REST_BASE_URL_${tag}`, url, tag);
  if (roles.has("gateway") && !roles.has("graphql") && graphql)
    yield { variable: "GRAPHQL_URL", url: graphql, probe: () => probeGraphql(graphql, env) };
}

/** Returns a GET operation without path parameters: of product `tag` or, if undefined, of any at `REST_BASE_URL`. */
function probed(
  operations: Operations,
  upstreams: Config["upstreams"],
  tag: string | undefined,
): ProbeOperation | undefined {
  const [found] = Object.entries(operations).filter(
    ([name, { product, text }]) =>
      /^GET [^{]*$/.test(name) && !text && (tag === undefined ? !upstreams.has(product) : product === tag),
  );
  return found && { ...found[1], path: pathBelowBase(found[0]) };
}

/** Probes a service until a probe succeeds. Reports the reason of the latest failure in `/readyz` and the log. */
async function waitFor(
  service: Backend,
  failure: string,
  waiting: Waiting,
  logger: ProcessLogger,
): Promise<void> {
  const { variable, url } = service;
  const { front } = waiting;
  let last: string | undefined;
  for (let now: string | undefined = failure; now !== undefined; now = await failureOf(service)) {
    const reason = `waiting for ${variable} (${now})`;
    if (reason !== last) {
      const effect = waiting.isOptional(service) ? "its fields fail until it is" : "not ready until it is";
      logger.warn(`${variable}: ${url.origin} is not usable (${now}); ${effect}`);
      waiting.fails(service, reason);
      last = reason;
    }
    await sleep(pauseMs, undefined, { ref: false });
  }
  const wasReady = front.unready.size === 0;
  waiting.reached(service);
  logger.info(`${variable}: reached${!wasReady && front.unready.size === 0 ? "; ready now" : ""}`);
  watchName(front, service, logger);
}

/** Minimum time between two log lines about lookups of the same host name. */
const quietMs = 60_000;

/** Reports failed DNS lookups of a service in `/readyz` and the log. */
function watchName(
  { server, warnings }: FastifyInstance,
  { variable, url }: Backend,
  logger: ProcessLogger,
): void {
  let warning = "";
  let isReported = false;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const note = ({ name, code, addresses }: Lookup): void => {
    if (name !== url.hostname) return;
    warnings.delete(warning);
    if (code === undefined) {
      if (isReported) logger.info(`${variable}: ${name} is resolved again`);
      isReported = false;
      return;
    }
    const use = addresses > 0 ? "its last known addresses are used" : "it cannot be reached";
    warning = `${variable}: its name is not resolved (${codeWords(code)}); ${use}`;
    warnings.add(warning);
    if (isReported || performance.now() < reportedAt + quietMs) return;
    isReported = true;
    reportedAt = performance.now();
    logger.warn(`${variable}: ${name} is not resolved (${codeWords(code)}); ${use}`);
  };
  lookupCache.on("lookup", note);
  server.once("close", () => lookupCache.off("lookup", note));
}

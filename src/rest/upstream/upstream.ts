/**
 * A product's REST service: its pool of connections, and its typed client (openapi-fetch) over them. A circuit breaker,
 * a bound on calls, a queue for each caller and a budget of retries keep its faults from other products and callers.
 */
import createClient, { type Client } from "openapi-fetch";
import { Pool } from "undici";
import type { paths } from "../../../generated/rest.ts";
import { callsOfProduct } from "../../capacity.ts";
import type { Config } from "../../config.ts";
import type { CodedError } from "../../errors.ts";
import { serializePath } from "../encode.ts";
import { NoTurn, notSent } from "../failure.ts";
import { RestResponse } from "../rest-response.ts";
import { ResponseBytes } from "../shares/response-bytes.ts";
import { CallDeadlines } from "./call-deadlines.ts";
import { CallRequest } from "./call-request.ts";
import { CallerQueues } from "./caller-queues.ts";
import { CircuitBreaker, type Verdict } from "./circuit-breaker.ts";
import { Exchange } from "./exchange.ts";
import { RetryBudget } from "./retry-budget.ts";

export class Upstream {
  readonly client: Client<paths>;
  readonly retries = new RetryBudget();
  readonly #pool: Pool;
  readonly #origin: string;
  readonly #env: Config["env"];
  readonly #breaker = new CircuitBreaker();
  readonly #queues: CallerQueues;
  #underWay = 0;
  #respondedAt = 0;

  constructor(url: URL, { env }: Config) {
    this.#env = env;
    this.#origin = url.origin;
    this.#queues = new CallerQueues(env.REST_CONNECTIONS, env.REST_CONNECTIONS_PER_CALLER);
    this.#pool = new Pool(url.origin, {
      connections: env.REST_CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      connect: { timeout: env.CONNECT_TIMEOUT_MS },
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 32_768,
    });
    this.client = createClient<paths>({
      baseUrl: url.pathname.replace(/\/$/, ""),
      pathSerializer: serializePath,
      Request: CallRequest as unknown as typeof Request,
      fetch: (request) =>
        this.#fetch(request as unknown as CallRequest) as Promise<unknown> as Promise<Response>,
    });
  }

  /** Calls that wait or are on a connection. */
  get underWay(): number {
    return this.#underWay;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /**
   * Identical reads of one request are one call, until a write makes them old. A read that fails is forgotten, so that
   * it can be retried, but only once.
   */
  #fetch(request: CallRequest): Promise<RestResponse> {
    const { reads } = request.scope;
    if (!request.isRead) return this.#call(request).finally(() => reads.clear());
    const key =
      `${request.operation.id} ${this.#origin}${request.path}` +
      (request.headers ? JSON.stringify(request.headers) : "");
    const known = reads.get(key);
    if (known) return known;
    const isFirst = known === undefined;
    const response = this.#call(request, isFirst ? key : undefined);
    if (isFirst) this.retries.count();
    reads.set(key, response);
    return response;
  }

  /**
   * Makes one call. `readKey` is the read to forget if the call fails. Throws when the request makes too many calls or
   * too many calls wait: nobody remembers such a read.
   */
  #call(request: CallRequest, readKey?: string): Promise<RestResponse> {
    const { scope, isRead } = request;
    scope.enter(isRead);
    if (this.#underWay >= callsOfProduct) throw notSent("too many calls wait for it");
    const admission = this.#breaker.admit();
    if (!admission) return Promise.reject(notSent("it failed too often and is left alone for a while"));
    this.#underWay++;
    const queue = this.#queues.of(scope.caller);
    const entry = queue.acquire();
    const exchange = new Exchange(scope.maxResponseBytes, new ResponseBytes(scope, isRead));
    const timeouts = { connectMs: this.#env.CONNECT_TIMEOUT_MS, callMs: scope.callTimeoutMs };
    const deadlines = new CallDeadlines(timeouts, entry, exchange);
    const { promise, resolve, reject } = Promise.withResolvers<RestResponse>();
    const end = (outcome: RestResponse | CodedError): void => {
      const isResponse = outcome instanceof RestResponse;
      deadlines.clear();
      this.#underWay--;
      if (isResponse) this.#respondedAt = performance.now();
      queue.release(entry, isResponse);
      this.#breaker.count(admission, this.#verdictOf(outcome));
      if (readKey !== undefined && !(isResponse && outcome.ok)) scope.reads.set(readKey, null);
      if (isResponse) resolve(scope.read(outcome, isRead));
      else reject(outcome);
    };
    exchange.response.then(end, end);
    if (isRead)
      scope.onLeave((failure) => {
        reject(failure);
        deadlines.abandon(failure);
      });
    if (entry.turn) entry.turn.then(() => this.#send(exchange, request));
    else this.#send(exchange, request);
    return promise;
  }

  #send(exchange: Exchange, { method, path, headers, body, scope, operation }: CallRequest): void {
    const carried = scope.headersOf(operation);
    const sent = headers ? { ...carried, ...headers } : carried;
    exchange.send(this.#pool, { method, path, headers: sent, body });
  }

  /**
   * What a call says about the upstream. A 502, 503 or 504 is a gateway's word that nobody responded (RFC 9110 §15.6).
   * A 500, or a response that cannot be used, may be about one tenant's data. A time-out counts only while no call at
   * all is responded to: otherwise it is about one caller's calls, or about a queue in front of an upstream that works.
   */
  #verdictOf(outcome: RestResponse | CodedError): Verdict {
    if (outcome instanceof RestResponse)
      return outcome.status >= 502 && outcome.status <= 504 ? "failed" : "worked";
    if (outcome.code === "UPSTREAM_UNAVAILABLE") return "failed";
    if (outcome.code !== "UPSTREAM_TIMEOUT" || outcome.cause instanceof NoTurn) return "unknown";
    const { CALL_TIMEOUT_MS, CONNECT_TIMEOUT_MS } = this.#env;
    const quietMs = outcome.cause === undefined ? CALL_TIMEOUT_MS : CONNECT_TIMEOUT_MS;
    return performance.now() - this.#respondedAt > quietMs ? "failed" : "unknown";
  }
}

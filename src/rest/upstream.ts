/**
 * A product's REST service: its pool of connections, its typed client (openapi-fetch) over them, and what keeps its
 * faults its own: a circuit breaker, a bounded number of calls under way, a budget of retries.
 */
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
} from "cockatiel";
import createClient, { type Client } from "openapi-fetch";
import { Pool } from "undici";
import type { paths } from "../../generated/rest.ts";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { serializePath } from "./encode.ts";
import { exchange, type Incoming } from "./exchange.ts";
import type { Scope } from "./scope.ts";

const connections = 64;
/** Calls under way or waiting for a connection; one more is refused at once. */
const maxWaiting = 1_000;
const consecutiveFailures = 5;
const probeAfterMs = 5_000;
/** Retries that a call earns, and the most that can be saved up. */
const retriesPerCall = 0.2;
const maxSavedRetries = 10;

export class Upstream {
  readonly client: Client<paths>;
  readonly #pool: Pool;
  readonly #breaker: CircuitBreakerPolicy;
  #waiting = 0;
  #retries = maxSavedRetries;

  constructor(url: URL, { env }: Config) {
    this.#pool = new Pool(url.origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      connect: { timeout: env.CONNECT_TIMEOUT_MS },
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 32_768,
    });
    const breaker = new ConsecutiveBreaker(consecutiveFailures);
    this.#breaker = circuitBreaker(handleWhen(isUpstreamFault), { breaker, halfOpenAfter: probeAfterMs });
    this.client = createClient<paths>({
      baseUrl: url.pathname.replace(/\/$/, ""),
      pathSerializer: serializePath,
      Request: CallRequest as unknown as typeof Request,
      fetch: (request) => this.#fetch(request as unknown as CallRequest),
    });
  }

  /** Runs one call under the breaker and the bound on waiting calls. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#waiting >= maxWaiting)
      throw new CodedError("UPSTREAM_UNAVAILABLE", "too many calls wait for it");
    this.#waiting++;
    this.#retries = Math.min(this.#retries + retriesPerCall, maxSavedRetries);
    try {
      return await this.#breaker.execute(call);
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      throw new CodedError(
        "UPSTREAM_UNAVAILABLE",
        "it failed too often and is left alone for a while",
        { retryAfter: probeAfterMs / 1_000 },
        error,
      );
    } finally {
      this.#waiting--;
    }
  }

  /** Takes one retry out of the budget, if there is one. */
  takeRetry(): boolean {
    if (this.#retries < 1) return false;
    this.#retries--;
    return true;
  }

  get underWay(): number {
    return this.#waiting;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** Identical reads of one request are one exchange, parsed once, until a write makes them old. */
  #fetch(call: CallRequest): Promise<Response> {
    const { scope, url } = call;
    if (call.method !== "GET") return this.#exchange(call).finally(() => scope.forgetReads());
    if (call.headers) return this.#exchange(call);
    const reads = scope.readsOf(this);
    const known = reads.get(url);
    if (known) return known;
    const answer = this.#exchange(call);
    reads.set(url, answer);
    const forget = (): boolean => reads.delete(url);
    answer.then(({ ok }) => ok || forget(), forget);
    return answer;
  }

  async #exchange({ url: path, method, headers, body, scope }: CallRequest): Promise<Response> {
    scope.enter(method === "GET");
    const all = headers ? { ...scope.headers, ...headers } : scope.headers;
    const { incoming, abort } = exchange(this.#pool, {
      method,
      path,
      headers: all,
      body,
      connectTimeoutMs: scope.connectTimeoutMs,
      timeoutMs: scope.callTimeoutMs,
      maxBytes: scope.maxResponseBytes,
    });
    scope.began(method, abort);
    try {
      return new CallResponse(await incoming) as unknown as Response;
    } finally {
      scope.ended(abort);
    }
  }
}

/** The light stand-in for `Request` that openapi-fetch makes: what an exchange needs and nothing else. */
class CallRequest {
  readonly url: string;
  readonly method: string;
  /** The operation's own headers; `undefined` if it has none. */
  readonly headers: Record<string, string> | undefined;
  readonly body: string | undefined;
  readonly scope: Scope;

  constructor(url: string, init: { method: string; headers: Headers; body?: string; scope: Scope }) {
    this.url = url || "/";
    this.method = init.method;
    this.headers = isEmpty(init.headers) ? undefined : Object.fromEntries(init.headers);
    this.body = init.body;
    this.scope = init.scope;
  }
}

/** The light stand-in for `Response`: a body that is there already, parsed when it is first asked for. */
class CallResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | undefined };
  readonly #text: string;
  #value: unknown;

  constructor({ status, header, text }: Incoming) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = { get: header };
    this.#text = text;
  }

  async text(): Promise<string> {
    return this.#text;
  }

  async json(): Promise<unknown> {
    this.#value ??= JSON.parse(this.#text);
    return this.#value;
  }
}

const isEmpty = (headers: Headers): boolean => headers.keys().next().done === true;

const faults = new Set([
  "UPSTREAM_ERROR",
  "UPSTREAM_UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
  "BAD_UPSTREAM_RESPONSE",
]);

/** Whether a failure is the upstream's own, and not the caller's doing. */
const isUpstreamFault = (error: unknown): boolean => error instanceof CodedError && faults.has(error.code);

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
import { exchange } from "./exchange.ts";
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

  async #fetch({ url, method, headers, body, scope }: CallRequest): Promise<Response> {
    const all = headers ? { ...scope.headers, ...Object.fromEntries(headers) } : scope.headers;
    const { timeoutMs, maxBytes } = scope.limits();
    const { incoming, abort } = exchange(this.#pool, {
      method,
      path: url,
      headers: all,
      body,
      timeoutMs,
      maxBytes,
    });
    const release = scope.abortable(method, abort);
    try {
      const { status, header, text } = await incoming;
      return {
        status,
        ok: status >= 200 && status < 300,
        headers: { get: header },
        text: async () => text,
        json: async () => JSON.parse(text),
      } as unknown as Response;
    } finally {
      release();
    }
  }
}

/** The light stand-in for `Request` that openapi-fetch makes: what an exchange needs and nothing else. */
class CallRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers | undefined;
  readonly body: string | undefined;
  readonly scope: Scope;

  constructor(url: string, init: { method: string; headers: Headers; body?: string; scope: Scope }) {
    this.url = url || "/";
    this.method = init.method;
    this.headers = init.headers.entries().next().done ? undefined : init.headers;
    this.body = init.body;
    this.scope = init.scope;
  }
}

const faults = new Set([
  "UPSTREAM_ERROR",
  "UPSTREAM_UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
  "BAD_UPSTREAM_RESPONSE",
]);

/** Whether a failure is the upstream's own, and not the caller's doing. */
const isUpstreamFault = (error: unknown): boolean => error instanceof CodedError && faults.has(error.code);

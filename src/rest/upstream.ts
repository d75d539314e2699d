/**
 * A product's REST service: its pool of connections, its typed client (openapi-fetch) over them, and what keeps its
 * faults its own: a circuit breaker, a bounded number of calls under way, turns for each caller, a budget of retries.
 */
import createClient, { type Client } from "openapi-fetch";
import { Pool } from "undici";
import type { paths } from "../../generated/rest.ts";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { Answer } from "./answer.ts";
import { Breaker } from "./breaker.ts";
import { serializePath } from "./encode.ts";
import { type Exchange, exchange } from "./exchange.ts";
import { NoTurn, notSent } from "./failure.ts";
import { RetryBudget } from "./retry-budget.ts";
import type { Scope } from "./scope.ts";
import { type Line, Turns } from "./turns.ts";

const connections = 64;
/** What one caller may have of them. */
const share = 48;
/** Calls under way or waiting for a connection; one more is refused at once. */
const maxWaiting = 5_000;

export class Upstream {
  readonly client: Client<paths>;
  readonly retries = new RetryBudget();
  readonly #pool: Pool;
  readonly #origin: string;
  readonly #breaker = new Breaker((error) => this.#isFault(error));
  readonly #env: Config["env"];
  #waiting = 0;
  readonly #turns = new Turns(connections, share);
  #answeredAt = 0;

  constructor(url: URL, { env }: Config) {
    this.#env = env;
    this.#origin = url.origin;
    this.#pool = new Pool(url.origin, {
      connections,
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

  get underWay(): number {
    return this.#waiting;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /**
   * Identical reads of one request are one exchange, parsed once, until a write makes them old. One that fails is
   * forgotten, so that it can be tried again, but only once.
   */
  #fetch(call: CallRequest): Promise<Answer> {
    const { reads } = call.scope;
    if (call.method !== "GET") return this.#exchange(call).finally(() => reads.clear());
    const read = this.#origin + call.url + (call.headers ? JSON.stringify(call.headers) : "");
    const known = reads.get(read);
    if (known) return known;
    const isFirst = known === undefined;
    const answer = this.#exchange(call, isFirst ? read : undefined);
    if (isFirst) this.retries.count();
    reads.set(read, answer);
    return answer;
  }

  /** One exchange within the bounds; throws at once, before anybody can remember it, when it is one too many. */
  #exchange(call: CallRequest, read?: string): Promise<Answer> {
    call.scope.enter(call.method === "GET");
    if (this.#waiting >= maxWaiting) throw notSent("too many calls wait for it");
    return this.#breaker.run(() => this.#begin(call, read));
  }

  #begin(
    { url: path, method, headers, body, scope }: CallRequest,
    read: string | undefined,
  ): Promise<Answer> {
    const line = this.#turns.line(scope.caller);
    this.#waiting++;
    const begun = exchange(this.#pool, {
      method,
      path,
      headers: headers ? { ...scope.headers, ...headers } : scope.headers,
      body,
      connectTimeoutMs: this.#env.CONNECT_TIMEOUT_MS,
      line,
      timeoutMs: scope.callTimeoutMs,
      maxBytes: scope.maxResponseBytes,
      over: (exchange, outcome) => {
        this.#over(exchange, outcome, line);
        if (read !== undefined && !(outcome instanceof Answer && outcome.ok)) scope.reads.set(read, null);
      },
    });
    if (method === "GET") scope.began(begun); // a mutation is never given up
    return begun.answer;
  }

  #over(exchange: Exchange, outcome: Answer | CodedError, line: Line): void {
    this.#waiting--;
    if (outcome instanceof Answer) {
      this.#answeredAt = performance.now();
      line.answered();
    }
    line.leave(exchange);
    this.#breaker.count(outcome);
  }

  /**
   * Whether a failure is the upstream's own: no connection, a broken one, or a time-out while nobody is answered. While
   * others are, it is about one caller's calls, or a queue in front of an upstream that works; and of a call that had
   * no turn the upstream does not know.
   */
  #isFault(error: unknown): boolean {
    if (!(error instanceof CodedError)) return false;
    if (error.code === "UPSTREAM_UNAVAILABLE") return true;
    if (error.code !== "UPSTREAM_TIMEOUT" || error.cause instanceof NoTurn) return false;
    const { CALL_TIMEOUT_MS: answer, CONNECT_TIMEOUT_MS: connection } = this.#env;
    return performance.now() - this.#answeredAt > (error.cause === undefined ? answer : connection);
  }
}

type CallInit = { method: string; headers: Headers; hasHeaders: boolean; body?: string; scope: Scope };

/** The light stand-in for `Request` that openapi-fetch makes: what an exchange needs and nothing else. */
class CallRequest {
  readonly url: string;
  readonly method: string;
  /** The operation's own headers; `undefined` if it has none. */
  readonly headers: Record<string, string> | undefined;
  readonly body: string | undefined;
  readonly scope: Scope;

  constructor(url: string, init: CallInit) {
    this.url = url || "/";
    this.method = init.method;
    this.headers = init.hasHeaders ? Object.fromEntries(init.headers) : undefined;
    this.body = init.body;
    this.scope = init.scope;
  }
}

/**
 * A product's REST service: its pool of connections, its typed client (openapi-fetch) over them, and what keeps its
 * faults its own: a circuit breaker, a bounded number of calls under way, turns for each caller, a budget of retries.
 */
import createClient, { type Client } from "openapi-fetch";
import { Pool } from "undici";
import type { paths } from "../../generated/rest.ts";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { Breaker } from "./breaker.ts";
import { serializePath } from "./encode.ts";
import { type Exchange, exchange, type Incoming } from "./exchange.ts";
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
      fetch: (request) => this.#fetch(request as unknown as CallRequest),
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
  #fetch(call: CallRequest): Promise<Response> {
    const { reads } = call.scope;
    if (call.method !== "GET") return this.#exchange(call).finally(() => reads.clear());
    const read = this.#origin + call.url + (call.headers ? JSON.stringify(call.headers) : "");
    const known = reads.get(read);
    if (known) return known;
    const isFirst = known === undefined;
    const answer = this.#exchange(call, () => {
      if (isFirst) reads.set(read, null);
    });
    if (isFirst) this.retries.count();
    reads.set(read, answer);
    return answer;
  }

  /** One exchange within the bounds; throws at once, before anybody can remember it, when it is one too many. */
  #exchange(call: CallRequest, forget?: () => void): Promise<Response> {
    call.scope.enter(call.method === "GET");
    if (this.#waiting >= maxWaiting) throw notSent("too many calls wait for it");
    return this.#run(call, forget);
  }

  /** Runs an exchange under the breaker; one that fails is not remembered. */
  async #run(call: CallRequest, forget?: () => void): Promise<Response> {
    const { scope, method } = call;
    const isRead = method === "GET";
    let line: Line | undefined;
    let begun: Exchange | undefined;
    this.#waiting++;
    try {
      const incoming = await this.#breaker.run(() => {
        line = this.#turns.line(scope.caller);
        begun = this.#send(call, line);
        if (isRead) scope.began(begun); // a mutation is never given up
        return begun.incoming;
      });
      this.#answeredAt = performance.now();
      line?.answered();
      const response = new CallResponse(incoming);
      if (!response.ok) forget?.();
      return response as unknown as Response;
    } catch (error) {
      forget?.();
      throw error;
    } finally {
      this.#waiting--;
      if (begun) {
        scope.ended(begun);
        line?.leave(begun);
      }
    }
  }

  #send({ url: path, method, headers, body, scope }: CallRequest, line: Line): Exchange {
    return exchange(this.#pool, {
      method,
      path,
      headers: headers ? { ...scope.headers, ...headers } : scope.headers,
      body,
      connectTimeoutMs: this.#env.CONNECT_TIMEOUT_MS,
      line,
      timeoutMs: scope.callTimeoutMs,
      maxBytes: scope.maxResponseBytes,
    });
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

/** The light stand-in for `Response`: a body that is there already, and that `body` parses when it is first asked for. */
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

  /** The value of a JSON body; `undefined` for none. Throws `SyntaxError`. */
  get body(): unknown {
    if (this.#text !== "") this.#value ??= JSON.parse(this.#text);
    return this.#value;
  }
}

const isEmpty = (headers: Headers): boolean => headers.keys().next().done === true;

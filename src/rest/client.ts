/**
 * The REST client of one request: finds an operation's upstream, makes its call once however often it is asked for,
 * and turns the answer into a value or a `CodedError` that names the operation and nothing of the upstream.
 */
import type { Config } from "../config.ts";
import { CodedError, codeOfStatus } from "../errors.ts";
import { serializeHeaders, serializeQuery } from "./encode.ts";
import type { Operation } from "./operation.ts";
import type { Scope } from "./scope.ts";
import { NotSent, Upstream } from "./upstream.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Section = Readonly<Record<string, unknown>>;
type Init = {
  readonly path?: Section;
  readonly query?: Section;
  readonly header?: Section;
  readonly body?: unknown;
};
type Operations = Readonly<Record<string, Operation>>;

/** openapi-fetch's methods, as a call that its caller's own types have already checked. */
type Send = (path: string, init: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** The upstreams of all products, each with its own connections so that a slow one holds up no other. */
export class Upstreams {
  readonly #byProduct = new Map<string, Upstream>();

  constructor(config: Config, base: URL, operations: Operations) {
    for (const { product } of Object.values(operations)) {
      if (this.#byProduct.has(product)) continue;
      this.#byProduct.set(product, new Upstream(config.upstreams.get(product) ?? base, config));
    }
  }

  of({ product }: Operation): Upstream {
    return this.#byProduct.get(product) as Upstream;
  }

  /** Calls under way, of all products. */
  get underWay(): number {
    return [...this.#byProduct.values()].reduce((sum, upstream) => sum + upstream.underWay, 0);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byProduct.values()].map((upstream) => upstream.close()));
  }
}

export class RestClient {
  readonly #operations: Operations;
  readonly #upstreams: Upstreams;
  readonly #scope: Scope;

  constructor(operations: Operations, upstreams: Upstreams, scope: Scope) {
    this.#operations = operations;
    this.#upstreams = upstreams;
    this.#scope = scope;
  }

  get(path: string, init?: Init, ...result: string[]): Promise<unknown> {
    return this.#call("GET", path, init, result);
  }

  async find(path: string, init?: Init, ...result: string[]): Promise<unknown> {
    try {
      return await this.#call("GET", path, init, result);
    } catch (error) {
      if (error instanceof CodedError && error.code === "NOT_FOUND") return null;
      throw error;
    }
  }

  post(path: string, init?: Init, ...result: string[]): Promise<unknown> {
    return this.#call("POST", path, init, result);
  }

  put(path: string, init?: Init, ...result: string[]): Promise<unknown> {
    return this.#call("PUT", path, init, result);
  }

  patch(path: string, init?: Init, ...result: string[]): Promise<unknown> {
    return this.#call("PATCH", path, init, result);
  }

  delete(path: string, init?: Init, ...result: string[]): Promise<unknown> {
    return this.#call("DELETE", path, init, result);
  }

  async #call(
    method: Method,
    path: string,
    init: Init | undefined,
    result: readonly string[],
  ): Promise<unknown> {
    const operation = this.#operations[`${method} ${path}`] as Operation;
    try {
      const body = await this.#attempt(operation, method, path, init, method === "GET");
      return result.length > 0 ? valueAt(body, result) : body;
    } catch (error) {
      throw named(operation, error);
    }
  }

  /** A read is tried once more, within the request's deadline and the upstream's budget. */
  async #attempt(
    operation: Operation,
    method: Method,
    path: string,
    init: Init | undefined,
    mayRetry: boolean,
  ): Promise<unknown> {
    const upstream = this.#upstreams.of(operation);
    try {
      if (mayRetry) upstream.retries.count();
      return await this.#send(upstream, operation, method, path, init);
    } catch (error) {
      const waitMs = mayRetry ? retryWaitMs(error) : undefined;
      if (waitMs === undefined || !this.#scope.mayCallIn(waitMs) || !upstream.retries.take()) throw error;
      await this.#scope.pause(waitMs);
      return this.#attempt(operation, method, path, init, false);
    }
  }

  async #send(
    upstream: Upstream,
    operation: Operation,
    method: Method,
    path: string,
    init: Init | undefined,
  ): Promise<unknown> {
    const { data, error, response } = await (upstream.client[method] as unknown as Send)(path, {
      params: init?.header ? { ...init, header: serializeHeaders(operation, init.header) } : init,
      body: init?.body ?? undefined,
      querySerializer: init?.query ? (given: Section) => serializeQuery(operation, given) : noQuery,
      scope: this.#scope,
    });
    if (!response.ok) throw refusal(response, error, init);
    if (data === undefined && !operation.empty)
      throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is empty");
    if (data !== undefined && !isJson(response))
      throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not JSON");
    return data ?? null;
  }
}

const noQuery = (): string => "";

const isJson = (response: Response): boolean =>
  /^application\/(?:[\w.+-]+\+)?json\b/i.test(response.headers.get("content-type") ?? "");

/** Walks down to the result; anything but an object on the way breaks the contract. */
function valueAt(body: unknown, steps: readonly string[]): unknown {
  let value = body;
  for (const step of steps) {
    if (value === null || value === undefined) return null;
    if (typeof value !== "object" || Array.isArray(value)) {
      throw new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not an object");
    }
    value = (value as Section)[step];
  }
  return value;
}

/**
 * A REST failure as ours: its status decides the code and is the cause; of its body only the name of a value that we
 * sent is kept.
 */
function refusal(response: Response, error: unknown, init: Init | undefined): CodedError {
  const { status } = response;
  if (status < 400) return new CodedError("BAD_UPSTREAM_RESPONSE", "a redirect is not followed");
  const retryAfter = secondsOf(response.headers.get("retry-after"));
  const argument = status === 400 || status === 422 ? argumentOf(error, init) : undefined;
  const message = argument === undefined ? messages[status] : `the value of "${argument}" is refused`;
  const details = {
    ...(argument !== undefined && { argument }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
  return new CodedError(codeOfStatus(status), message ?? "it failed", details, status);
}

/** The `argument` member of problem details (RFC 9457), if it is the name of something that we sent. */
function argumentOf(problem: unknown, init: Init | undefined): string | undefined {
  const named = typeof problem === "object" && problem !== null && "argument" in problem && problem.argument;
  const sent = [init?.path, init?.query, init?.header, init?.body];
  return typeof named === "string" && sent.some((section) => section && Object.hasOwn(section, named))
    ? named
    : undefined;
}

const messages: Record<number, string> = {
  400: "the input is refused",
  401: "the credentials are missing or not valid",
  403: "the caller lacks the permission that it needs",
  404: "there is no such thing",
  409: "the request contradicts what is stored",
  422: "the input is refused",
  429: "too many requests",
};

/** `Retry-After` in seconds (RFC 9110 §10.2.3): a number or a date. */
function secondsOf(value: string | null): number | undefined {
  if (value === null || value === undefined) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}

/** How long to wait before a read is tried again, with jitter; `undefined` if it is not. */
function retryWaitMs(error: unknown): number | undefined {
  if (!(error instanceof CodedError) || error.cause instanceof NotSent) return undefined;
  const isFault = error.code === "UPSTREAM_UNAVAILABLE" || error.code === "UPSTREAM_ERROR";
  const isRefused = typeof error.cause === "number" && error.cause < 500;
  const { retryAfter } = error.details;
  if (retryAfter !== undefined && (isFault || error.code === "RATE_LIMITED"))
    return retryAfter * 1_000 + Math.random() * 100;
  return isFault && !isRefused ? 10 + Math.random() * 40 : undefined;
}

/** The failure with its operation's name; what is not ours yet was a broken answer. */
function named({ id }: Operation, error: unknown): CodedError {
  if (error instanceof CodedError)
    return error.message.startsWith(`${id}: `) || error.code === "CALL_LIMIT"
      ? error
      : new CodedError(error.code, `${id}: ${error.message}`, error.details, error);
  const broken = error instanceof SyntaxError;
  return new CodedError(
    broken ? "BAD_UPSTREAM_RESPONSE" : "INTERNAL_SERVER_ERROR",
    `${id}: ${broken ? "the answer is not valid JSON" : "internal error"}`,
    {},
    broken ? undefined : error, // a SyntaxError quotes what it could not read
  );
}

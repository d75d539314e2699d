/**
 * The REST client of one request. It finds an operation's upstream, makes the call, and turns the response into a value
 * or into a `CodedError`, which names the operation and nothing of the upstream.
 */
import { type Config, ConfigError } from "../config.ts";
import { CodedError } from "../errors.ts";
import { beginCall, endCall } from "../observe/observer.ts";
import { CallRecord, type RequestRecord } from "../observe/records.ts";
import { isJson, isText } from "../standards/media-type.ts";
import { CallerCache } from "./cache/caller-cache.ts";
import { serializeBody, serializeHeaders, serializePath, serializeQuery } from "./encode.ts";
import { failureOf, named, noAnswer, notJson, responseFailure, retryWaitMs } from "./failure.ts";
import type { Operation, Operations } from "./operation.ts";
import type { RequestScope } from "./request-scope.ts";
import type { RestResponse } from "./rest-response.ts";
import { openShares, type Shares } from "./shares/shares.ts";
import type { TakesLink } from "./types.ts";
import { baseUrls, pathBelowBase } from "./upstream/base-urls.ts";
import type { CallRequest } from "./upstream/call-request.ts";
import { Upstream } from "./upstream/upstream.ts";
import { valueAt } from "./value-at.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Section = Readonly<Record<string, unknown>>;
/** The types of `Rest` have checked it. */
type Init = {
  readonly path?: Section;
  readonly query?: Section;
  readonly header?: Section;
  readonly body?: unknown;
} & TakesLink;

/** The upstreams of all products. Each has connections of its own, so a slow product holds up no other. */
export class Upstreams {
  /** The budgets that all requests of the process share. */
  readonly shares: Shares;
  /** The responses and answers that REST allows to keep for each caller. */
  readonly cache = new CallerCache();
  readonly #byProduct = new Map<string, Upstream>();

  /** Throws `ConfigError` if a base URL is missing. */
  constructor(config: Config, operations: Operations) {
    this.shares = openShares(config.env);
    for (const [product, url] of baseUrls(config, operations)) {
      if (typeof url === "string")
        throw new ConfigError([`${url}: the graphql role needs it; set it to the URL of REST`]);
      this.#byProduct.set(product, new Upstream(url, config, this.cache));
    }
  }

  of({ product }: Operation): Upstream {
    return this.#byProduct.get(product) as Upstream;
  }

  /** Each product with its upstream. */
  [Symbol.iterator](): IterableIterator<[string, Upstream]> {
    return this.#byProduct.entries();
  }

  /** Calls of all products that wait or are on a connection. */
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
  readonly #scope: RequestScope;
  #isAccepted = false;
  readonly #record: RequestRecord | undefined;
  /** The field whose resolver runs. A resolver begins its calls before it returns. */
  coordinate: string | undefined;

  constructor(operations: Operations, upstreams: Upstreams, scope: RequestScope, record?: RequestRecord) {
    this.#operations = operations;
    this.#upstreams = upstreams;
    this.#scope = scope;
    this.#record = record;
  }

  /** Whether REST has accepted the credential: it has answered a call with success that needs one. */
  get isAccepted(): boolean {
    return this.#isAccepted;
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

  /** Makes a call. A read that fails is retried once, within the request's deadline and the upstream's retry budget. */
  async #call(
    method: Method,
    path: string,
    init: Init | undefined,
    result: readonly string[],
  ): Promise<unknown> {
    const operation = this.#operations[`${method} ${path}`] as Operation;
    const upstream = this.#upstreams.of(operation);
    const { coordinate } = this;
    for (let tries = 0; ; tries++) {
      const call = new CallRecord(operation, method, path, init?.query, coordinate, tries > 0, this.#record);
      beginCall(call);
      try {
        const response = await upstream.fetch(this.#request(upstream, operation, call, init));
        call.status = response.status;
        call.source = response.source;
        call.ageSeconds = response.ageSeconds;
        const value = valueAt(bodyOf(operation, init, response), result);
        this.#isAccepted ||= this.#scope.forwarded.proves(operation);
        init?.link?.(response.rawHeaders.link, value);
        call.succeed();
        endCall(call);
        return value;
      } catch (error) {
        call.fail(...failureOf(error));
        endCall(call);
        const waitMs = tries === 0 && method === "GET" ? retryWaitMs(error) : undefined;
        if (waitMs === undefined || !this.#scope.mayCallIn(waitMs) || !upstream.retries.take())
          throw named(operation, error);
        await this.#scope.pause(waitMs);
      }
    }
  }

  #request({ basePath }: Upstream, operation: Operation, call: CallRecord, init: Init = {}): CallRequest {
    const { path = {}, query, header } = init;
    const body = (init.body ?? undefined) === undefined ? undefined : serializeBody(operation, init.body);
    const search = query ? serializeQuery(operation, query) : "";
    const headers = {
      ...(body !== undefined && { "content-type": operation.media ?? "application/json" }),
      ...(operation.accept !== undefined && { accept: operation.accept }),
      ...(header && serializeHeaders(operation, header)),
    };
    return {
      method: call.method,
      isRead: call.method === "GET",
      path: basePath + serializePath(pathBelowBase(call.path), path) + (search && `?${search}`),
      headers: Object.keys(headers).length > 0 ? headers : undefined,
      body,
      scope: this.#scope,
      call,
      operation,
    };
  }
}

/** The parsed body of a response that keeps the contract. */
function bodyOf(operation: Operation, init: Init = {}, response: RestResponse): unknown {
  if (!response.ok)
    throw responseFailure(operation, response, [init.path, init.query, init.header, init.body]);
  const { body } = response;
  if (body === undefined && !operation.empty) throw noAnswer("the answer is empty", "empty body");
  const media = response.header("content-type") ?? "";
  if (body !== undefined && !isJson(media) && !(operation.text && isText(media)))
    throw noAnswer("the answer is not JSON", notJson(media));
  return body ?? null;
}

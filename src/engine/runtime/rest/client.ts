/**
 * Makes the REST calls of one GraphQL request. Converts each response to a value or to a `CodedError`, which names the operation
 * and reveals nothing else of the upstream.
 */
import { membersOf } from "../../shared/json-object.ts";
import { isJson, isText } from "../../shared/media-type.ts";
import type { Operation, Operations } from "../../shared/operation.ts";
import { own } from "../../shared/own.ts";
import { CodedError } from "../coded-error.ts";
import { createProcessBudgets, type ProcessBudgets } from "../governor/process-budgets.ts";
import { beginCall, endCall } from "../observe/observer.ts";
import { CallRecord, type RequestRecord } from "../observe/request-record.ts";
import { type Config, ConfigError } from "../settings/config.ts";
import { CallerCache } from "./cache/caller-cache.ts";
import { encodeTemplate, serializeHeaders, serializeQuery } from "./encode.ts";
import { type CallCredentials, HeldCredentials } from "./held-credentials.ts";
import type { TakesLink } from "./openapi-types.ts";
import { valueAt } from "./property.ts";
import { bodyWriterOf } from "./request-body.ts";
import type { RequestScope } from "./request-scope.ts";
import {
  failureOf,
  invalidResponse,
  isCredentialRefused,
  notJson,
  outcomeOf,
  responseFailure,
  withOperationId,
} from "./rest-failure.ts";
import type { RestResponse } from "./rest-response.ts";
import { type FailedCall, waitForRetry } from "./retry.ts";
import { baseUrls, pathBelowBase } from "./upstream/base-urls.ts";
import { Upstream } from "./upstream/upstream.ts";

type Section = Readonly<Record<string, unknown>>;
type Init = {
  readonly path?: Section;
  readonly query?: Section;
  readonly header?: Section;
  readonly body?: unknown;
} & TakesLink;

/** The signature of openapi-fetch's `request`. The types of `Rest` have already checked the arguments. */
type Send = (method: string, path: string, init: object) => Promise<Sent>;
type Sent = { data?: unknown; error?: unknown; response: RestResponse };

/** Each product has a separate upstream with separate connections, so that a slow product does not delay the others. */
export class Upstreams extends Map<string, Upstream> {
  readonly shares: ProcessBudgets;
  readonly cache = new CallerCache();
  /** Credentials that the server holds for vendors' APIs. */
  readonly held: HeldCredentials;
  readonly operations: Operations;

  constructor(config: Config, operations: Operations) {
    super();
    this.shares = createProcessBudgets(config.env);
    this.held = new HeldCredentials(config);
    this.operations = operations;
    for (const [product, url] of baseUrls(config, operations)) {
      if (typeof url === "string")
        throw new ConfigError([`${url}: the graphql role needs it; set it to the URL of REST`]);
      this.set(product, new Upstream(url, config, this.cache));
    }
  }

  of({ product }: Operation): Upstream {
    return this.get(product) as Upstream;
  }

  /** Calls to all products, including those that wait for a connection. */
  get callsInFlight(): number {
    return [...this.values()].reduce((sum, upstream) => sum + upstream.callsInFlight, 0);
  }

  async close(): Promise<void> {
    await Promise.all([this.held.close(), ...[...this.values()].map((upstream) => upstream.close())]);
  }
}

export class RestClient {
  readonly #upstreams: Upstreams;
  readonly #scope: RequestScope;
  readonly #request: RequestRecord | undefined;
  readonly #coordinate: string | undefined;
  #part: string | undefined;

  /** `coordinate` is the schema coordinate of the field that makes the calls. */
  constructor(upstreams: Upstreams, scope: RequestScope, request?: RequestRecord, coordinate?: string) {
    this.#upstreams = upstreams;
    this.#scope = scope;
    this.#request = request;
    this.#coordinate = coordinate;
  }

  /** Returns a client of the same request for the calls of one field. */
  forField(coordinate: string): RestClient {
    const client = new RestClient(this.#upstreams, this.#scope, this.#request, coordinate);
    client.#part = this.#part;
    return client;
  }

  /** Returns a client of the same request for the fields of one `@defer` fragment. */
  forPart(part: string): RestClient {
    const client = new RestClient(this.#upstreams, this.#scope, this.#request);
    client.#part = part;
    return client;
  }

  /** The caller's tenant. If no gateway vouches for it, it is empty, and operations that need the tenant are refused. */
  get tenant(): string {
    return this.#scope.forwarded.tenant ?? "";
  }

  get(path: string, init?: Init, ...result: string[]): Promise<unknown> {
    return this.#call("GET", path, init, result);
  }

  find(path: string, init?: Init, ...result: string[]): Promise<unknown> {
    return orNull(this.#call("GET", path, init, result));
  }

  query(path: string, init?: Init, ...result: string[]): Promise<unknown> {
    return this.#call("QUERY", path, init, result);
  }

  search(path: string, init?: Init, ...result: string[]): Promise<unknown> {
    return orNull(this.#call("QUERY", path, init, result));
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

  send(method: string, path: string, init?: Init, ...result: string[]): Promise<unknown> {
    return this.#call(method, path, init, result);
  }

  async #call(
    method: string,
    path: string,
    init: Init | undefined,
    result: readonly string[],
  ): Promise<unknown> {
    const operation = own(this.#upstreams.operations, `${method} ${path}`) as Operation;
    const upstream = this.#upstreams.of(operation);
    for (let isRetry = false; ; isRetry = true) {
      const call = new CallRecord({
        operation,
        method,
        path,
        query: init?.query,
        coordinate: this.#coordinate,
        isRetry,
        request: this.#request,
      });
      call.baseUrl = upstream.baseUrl;
      call.part = this.#part;
      const outcome = await this.#attempt(operation, call, init, result);
      if ("value" in outcome) return outcome.value;
      if (!(await waitForRetry(outcome, this.#scope, upstream.retries)))
        throw withOperationId(operation, outcome.error, outcomeOf(call, outcome.error));
    }
  }

  /** Makes one attempt of a call and records the attempt. Resolves with the value or, if the attempt failed, with the failure. */
  async #attempt(
    operation: Operation,
    call: CallRecord,
    init: Init | undefined,
    result: readonly string[],
  ): Promise<{ readonly value: unknown } | FailedCall> {
    const { forwarded } = this.#scope;
    let held: CallCredentials | undefined;
    beginCall(call);
    try {
      held = operation.held && (await this.#upstreams.held.of(operation, forwarded));
      if (operation.held?.credentials.some(({ perTenant }) => perTenant)) this.#scope.mustExecute();
      checkTenant(operation, init, forwarded.tenant);
      const sent = await this.#send(operation, call, init, held);
      call.status = sent.response.status;
      call.source = sent.response.source;
      call.ageSeconds = sent.response.ageSeconds;
      const secrets = () => [...forwarded.secrets, ...(held?.secrets ?? [])];
      const value = valueIn(operation, bodyOf(operation, init, sent, secrets), result);
      forwarded.succeeded(operation);
      init?.link?.(sent.response.rawHeaders.link, value);
      call.succeed();
      return { value };
    } catch (error) {
      call.fail(...failureOf(error));
      if (isCredentialRefused(error)) held?.renew();
      return { error, call, operation, held };
    } finally {
      endCall(call);
    }
  }

  #send(
    operation: Operation,
    call: CallRecord,
    init: Init | undefined,
    held: CallCredentials | undefined,
  ): Promise<Sent> {
    const { client } = this.#upstreams.of(operation);
    const body = init?.body ?? undefined;
    const header = {
      ...(operation.accept !== undefined && { accept: operation.accept }),
      ...(init?.header && serializeHeaders(operation, init.header)),
      ...operation.headers,
    };
    const hasHeader = Object.keys(header).length > 0;
    return (client.request as unknown as Send)(call.method, encodeTemplate(pathBelowBase(call.path)), {
      params: hasHeader ? { ...init, header } : init,
      body,
      ...(body !== undefined && bodyWriterOf(operation)),
      querySerializer: init?.query
        ? (given: Section) => serializeQuery(operation, this.#scope.forwarded.queryOf(operation, given))
        : noQuery,
      hasHeaders: body !== undefined || hasHeader,
      parseAs: "stream", // makes openapi-fetch return `RestResponse.body`, which is the parsed value
      scope: this.#scope,
      call,
      operation,
      held,
    });
  }
}

/** Throws unless the call's tenant parameter is the caller's tenant: the server's credential is valid for several tenants. */
function checkTenant({ held }: Operation, init: Init | undefined, tenant: string | undefined): void {
  if (!held?.tenant) return;
  if (own(membersOf(init?.[held.tenant.in]), held.tenant.name) !== tenant)
    throw new CodedError("INTERNAL_SERVER_ERROR", "the call is not for the caller's tenant");
}

/** Resolves with null for a 404. */
async function orNull(value: Promise<unknown>): Promise<unknown> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof CodedError && error.code === "NOT_FOUND") return null;
    throw error;
  }
}

/** Returns the value at the path `result`; null for a success without content. Throws for a null that is not declared. */
function valueIn(operation: Operation, body: unknown, result: readonly string[]): unknown {
  const value = valueAt(body, result) ?? null;
  if (value === null && body !== undefined && !operation.nullable?.includes(result.join(".")))
    throw invalidResponse("the answer lacks a value that its document requires", "null");
  return value;
}

/** Returns the parsed body of a success; `undefined` if empty. Throws for failures and for undeclared bodies. */
function bodyOf(
  operation: Operation,
  init: Init | undefined,
  { data, error, response }: Sent,
  secrets: () => readonly string[],
): unknown {
  if (!response.ok) {
    const sections = [init?.path, init?.query, init?.header, init?.body];
    throw responseFailure(operation, response, error, { sections, secrets: secrets() });
  }
  if (data === undefined && !operation.empty) throw invalidResponse("the answer is empty", "empty body");
  const media = response.mediaType;
  if (data !== undefined && !isJson(media) && !(operation.text && isText(media)))
    throw invalidResponse("the answer is not JSON", notJson(media));
  return data;
}

const noQuery = (): string => "";

/** The REST service of one product. Limits and the circuit breaker protect other products and callers from its failures. */
import createClient, { type Client } from "openapi-fetch";
import type { Pool } from "undici";
import type { Operation } from "../../../shared/operation.ts";
import { CodedError } from "../../coded-error.ts";
import { FairSemaphore } from "../../governor/fair-semaphore.ts";
import { SharedQuota } from "../../governor/shared-quota.ts";
import { callsPerProduct } from "../../settings/capacity.ts";
import type { Config } from "../../settings/config.ts";
import { type Outcome, type ReadCall, Reads } from "../cache/cached-reads.ts";
import type { CallerCache } from "../cache/caller-cache.ts";
import { encodeTemplate, serializePath } from "../encode.ts";
import type { CallCredentials } from "../held-credentials.ts";
import { circuitOpen, notSent } from "../rest-failure.ts";
import { RestResponse } from "../rest-response.ts";
import { CallRequest } from "./call-request.ts";
import { CircuitBreaker, type Verdict } from "./circuit-breaker.ts";
import { Exchange } from "./exchange.ts";
import { PendingCall } from "./pending-call.ts";
import { RetryBudget } from "./retry-budget.ts";
import { spreadPool } from "./spread-pool.ts";
import { upstreamConnector } from "./upstream-connector.ts";
import { VendorAccounts } from "./vendor-quota.ts";

export class Upstream {
  readonly client: Client<object>;
  readonly retries = new RetryBudget();
  readonly baseUrl: URL;
  readonly #pool: Pool;
  readonly #env: Config["env"];
  readonly #breaker = new CircuitBreaker();
  readonly #calls = new SharedQuota(callsPerProduct);
  readonly #connections: FairSemaphore;
  readonly #reads: Reads;
  readonly #vendorAccounts = new VendorAccounts();

  constructor(url: URL, { env }: Config, cache: CallerCache) {
    this.#env = env;
    this.baseUrl = url;
    this.#reads = new Reads(cache, url.origin, (request, begin) => this.#call(request, begin));
    this.#connections = new FairSemaphore(env.REST_CONNECTIONS);
    this.#pool = spreadPool(url.origin, {
      connections: env.REST_CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: 30_000,
      connect: upstreamConnector(env),
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 32_768,
    });
    this.client = createClient<object>({
      baseUrl: encodeTemplate(url.pathname.replace(/\/$/, "")),
      pathSerializer: serializePath,
      Request: CallRequest as unknown as typeof Request,
      fetch: (request) =>
        this.#fetch(request as unknown as CallRequest) as Promise<unknown> as Promise<Response>,
    });
  }

  /** The state that metrics report. `isOpen` means that the service seems to be down (`CircuitBreaker.isDown`). */
  get state() {
    const { connected, running } = this.#pool.stats;
    return {
      isOpen: this.#breaker.isDown,
      inFlight: this.callsInFlight,
      queued: this.callsInFlight - running,
      connections: connected,
      mostConnections: this.#connections.total,
      quotaLeft: this.#vendorAccounts.leftRatio,
    };
  }

  /** Calls in flight, including those that wait for a connection. */
  get callsInFlight(): number {
    return this.#calls.used;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #fetch(request: CallRequest): Promise<RestResponse> {
    return request.isRead
      ? this.#reads.read(request, () => this.retries.count())
      : this.#reads.write(request);
  }

  /** Throws synchronously if the request made too many calls or too many calls wait, so that `Reads` does not record the read. */
  #call(request: CallRequest, beginRead?: () => ReadCall): Promise<RestResponse> {
    const { scope, isRead } = request;
    const { caller } = scope;
    const { held } = request;
    if (request.operation.held && (!held || request.operation.held.origin !== this.baseUrl.origin))
      throw new CodedError("INTERNAL_SERVER_ERROR", "the server's credential is not for this upstream");
    scope.enter(isRead);
    if (this.#calls.refusal(caller, 1)) throw notSent("too many calls wait for it");
    const account =
      held && this.#vendorAccounts.of(held.account, held.isOfOneTenant, request.operation.held?.rateLimit);
    const { tenant = "", identity } = scope.forwarded;
    const quotaCall = { operation: request.operation.id, tenant, caller: identity };
    const refusal = account?.refusal(quotaCall);
    if (refusal) return Promise.reject(refusal);
    const owner = scope.forwarded.ownerFor(request.operation);
    const admission = this.#breaker.admit(owner);
    if (!admission) return Promise.reject(circuitOpen());
    this.#calls.add(caller.enter(), 1);
    const endQuota = account?.begin(quotaCall);
    const read = beginRead?.();
    const { method, body = null, operation } = request;
    const exchange = new Exchange(scope, isRead, operation.unread, held);
    const ownPath = scope.forwarded.pathOf(operation, request.path);
    const path = held ? held.pathOf(ownPath) : ownPath;
    const headers = scope.forwarded.headersOf(operation, request.headers);
    held?.addTo(headers);
    Object.assign(headers, read?.validators);
    const { traceparent } = request.call;
    if (traceparent !== undefined && !operation.public) headers.traceparent = traceparent;
    const timeouts = { connectMs: this.#env.CONNECT_TIMEOUT_MS, callMs: scope.callTimeoutMs };
    const send = () => exchange.send(this.#pool, { method, path, headers, body });
    const pending = new PendingCall(caller, this.#connections, { exchange, timeouts, send });
    const { promise, resolve, reject } = Promise.withResolvers<RestResponse>();
    let isAbandoned = false;
    const end = (outcome: Outcome): void => {
      scope.ended(abandon);
      request.call.wasSent = exchange.hasConnection;
      this.#calls.giveBack(caller, 1);
      pending.end(outcome instanceof RestResponse);
      endQuota?.(outcome instanceof RestResponse ? outcome : undefined);
      caller.leave();
      this.#breaker.count(owner, admission, verdictOf(outcome, operation, held));
      if (isAbandoned) return; // `abandon` has already settled the promise
      const used = read ? read.end(outcome) : outcome;
      if (used instanceof RestResponse) resolve(scope.read(used, isRead));
      else reject(used);
    };
    exchange.response.then(end, end);
    const abandon = (failure: CodedError): void => {
      isAbandoned = true;
      read?.end(failure);
      reject(failure);
      pending.abandon(failure);
    };
    if (isRead) scope.onLeave(abandon);
    return promise;
  }
}

/**
 * Returns whether a call failed because of the upstream. A 502, 503 or 504 is a failure, because gateways send it if the service
 * does not respond (RFC 9110 §15.6). A 500 or an invalid response does not count as a failure of the upstream: its cause may be
 * the data of a single tenant. A 401 is a failure if all tenants share the server's credential, except if this is a renewable
 * token. A call that got no connection from this process is `unknown`.
 */
function verdictOf(outcome: Outcome, { held }: Operation, carried: CallCredentials | undefined): Verdict {
  if (outcome instanceof RestResponse) {
    const isShared = held?.credentials.every(({ perTenant }) => !perTenant);
    const isOfAll = outcome.status === 401 && isShared && !carried?.isRenewable;
    return isOfAll || (outcome.status >= 502 && outcome.status <= 504) ? "failed" : "worked";
  }
  return outcome.code === "UPSTREAM_UNAVAILABLE" || outcome.code === "UPSTREAM_TIMEOUT"
    ? "failed"
    : "unknown";
}

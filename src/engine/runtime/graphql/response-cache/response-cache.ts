/**
 * Finds responses for queries that need not be executed: cached responses, and responses of identical queries. Callers never
 * share a response.
 *
 * A response is cached only as long as REST allows the reuse of all REST responses behind it. It is kept in the same cache as
 * these REST responses, so a write of the caller invalidates both.
 *
 * Identical queries that wait at the same time share one execution (`RequestCoalescer`).
 */
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { StartQueue } from "../../governor/start-queue.ts";
import { TransientMap } from "../../governor/transient-map.ts";
import type { CallerCache } from "../../rest/cache/caller-cache.ts";
import { CallerKey } from "../../rest/cache/caller-cache.ts";
import { digestIfLong } from "../../rest/caller-headers.ts";
import type { RequestScope } from "../../rest/request-scope.ts";
import { knownQueryCharacters } from "../../settings/capacity.ts";
import { admissionOf } from "../admission.ts";
import { CoalescedQuery, type QueryExecution } from "./coalesced-query.ts";
import { SharedResponse } from "./shared-response.ts";

export class ResponseCache {
  readonly #cache: CallerCache;
  readonly #starts: StartQueue;
  /** Running and waiting queries, by caller and operation. */
  readonly #coalesced = new TransientMap<CoalescedQuery>();
  /**
   * Operations that any caller has sent before and that were queries, so that this is known before they are parsed. Without
   * this cache, identical requests that arrive in the same tick of the event loop could not be coalesced.
   */
  readonly #knownQueries = new LRUCache<string, true>({
    maxSize: knownQueryCharacters,
    sizeCalculation: (_true, key) => key.length,
  });

  constructor(cache: CallerCache, starts: StartQueue) {
    this.#cache = cache;
    this.#starts = starts;
  }

  /**
   * Returns the response to a request, or an execution if the request must be executed. If the result is a promise, the request
   * has left its place in the start queue. If this promise resolves with an execution, the request has got a new place. The
   * promise rejects when the client disconnects.
   */
  find(
    request: FastifyRequest,
    scope: RequestScope,
  ): SharedResponse | QueryExecution | Promise<SharedResponse | QueryExecution> {
    const operation = operationOf(request);
    const key = new CallerKey(scope.forwarded, operation);
    const cached = this.#cache.get(key);
    if (cached instanceof SharedResponse && cached.freshUntil > performance.now()) return cached;
    let query = this.#coalesced.get(key.whole);
    if (!query) {
      query = new CoalescedQuery(this.#starts, this.#knownQueries.get(operation) === true, {
        ended: (execution, response) => {
          if (execution.isQuery) this.#knownQueries.set(operation, true);
          if (response && response.freshSeconds > 0 && this.#cache.admits(key))
            this.#cache.set(key, response, execution.beganAt);
        },
        idle: () => this.#coalesced.delete(key.whole),
      });
      this.#coalesced.set(key.whole, query);
    }
    return query.request(admissionOf(request), scope);
  }
}

/** Maximum number of characters of an operation in a key. A longer operation is replaced by its digest. */
const mostCharacters = 4_096;

/**
 * Returns the parts of a request that, with the caller, determine a response without errors. Line breaks separate the parts:
 * neither a URL nor `Accept-Language` contains one.
 */
function operationOf({ method, url, body, headers }: FastifyRequest): string {
  const text = typeof body === "string" ? body : "";
  return digestIfLong(`${method} ${url}\n${headers["accept-language"] ?? ""}\n${text}`, mostCharacters);
}

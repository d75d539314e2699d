/**
 * Answers to queries that need no execution of their own, for each caller alone.
 *
 * An answer is kept for as long as REST allows to use each response that it is made of. It is stored beside those responses:
 * a write of the caller drops both.
 *
 * Identical queries that wait together are executed once (`RequestCoalescer`).
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
  /** The questions that are executed or wait, by caller and text. */
  readonly #questions = new TransientMap<CoalescedQuery>();
  /**
   * Requests that were queries before, of any caller. Without this memory, all identical requests of one tick of the
   * event loop would be executed.
   */
  readonly #queries = new LRUCache<string, true>({
    maxSize: knownQueryCharacters,
    sizeCalculation: (_true, key) => key.length,
  });

  constructor(cache: CallerCache, starts: StartQueue) {
    this.#cache = cache;
    this.#starts = starts;
  }

  /**
   * The answer to a request, or the execution that it must make. A request that is given a promise has left its place in
   * the start queue. If it gets an execution in the end, it has another. Rejects when its client leaves.
   */
  find(
    request: FastifyRequest,
    scope: RequestScope,
  ): SharedResponse | QueryExecution | Promise<SharedResponse | QueryExecution> {
    const asked = questionOf(request);
    const key = new CallerKey(scope.forwarded, asked);
    const kept = this.#cache.get(key);
    if (kept instanceof SharedResponse && kept.freshUntil > performance.now()) return kept;
    let question = this.#questions.get(key.whole);
    if (!question) {
      question = new CoalescedQuery(this.#starts, this.#queries.get(asked) === true, {
        ended: (execution, answer) => {
          if (execution.isQuery) this.#queries.set(asked, true);
          if (answer && answer.freshSeconds > 0 && this.#cache.admits(key))
            this.#cache.set(key, answer, execution.beganAt);
        },
        forget: () => this.#questions.delete(key.whole),
      });
      this.#questions.set(key.whole, question);
    }
    return question.ask(admissionOf(request), scope);
  }
}

/** A longer question is remembered as its digest. */
const mostCharacters = 4_096;

/**
 * The parts of a request that an answer without errors depends on, beside the caller. Line breaks join them, which
 * neither a URL nor a language holds.
 */
function questionOf({ method, url, body, headers }: FastifyRequest): string {
  const text = typeof body === "string" ? body : "";
  return digestIfLong(`${method} ${url}\n${headers["accept-language"] ?? ""}\n${text}`, mostCharacters);
}

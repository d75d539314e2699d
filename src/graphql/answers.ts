/**
 * Answers to queries that need no execution of their own, for each caller alone.
 *
 * An answer is kept for as long as REST allows to use each response that it is made of. It stands beside those responses:
 * a write of the caller drops both.
 *
 * Identical queries that wait together are executed once. An execution that is under way is never joined: its responses
 * may be older than a write that the new reader knows of. A query waits for the end of the last identical one, but not
 * longer than `pauseMs` after that one began. The first that waited is then executed, and all of them get its answer.
 */
import { hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { RequestRecord } from "../observe/records.ts";
import type { CallerCache } from "../rest/cache/caller-cache.ts";
import { digested, type Forwarded } from "../rest/forwarded.ts";
import { TransientMap } from "../rest/shares/transient-map.ts";
import { pauseMs } from "../rest/upstream/shared-reads.ts";
import { knownQueryCharacters } from "../settings/capacity.ts";
import { isWithoutErrors, type Responses } from "./send-response.ts";

/** Bytes of a kept answer beside its text. */
const overhead = 1_000;

/** The answer to a request. */
export class Answer {
  readonly text: string;
  /** The responses, if one has an error: each error names the request's id, so the text is for this request only. */
  readonly failed: Responses | undefined;
  /** Until when it may be used again, on the clock of `performance.now`. */
  readonly freshUntil: number;
  readonly operation: RequestRecord["operation"];
  readonly givenName: string | undefined;
  #tag: string | undefined;

  constructor(given: Responses, text: string, freshUntil: number, { operation, givenName }: RequestRecord) {
    this.text = text;
    this.failed = isWithoutErrors(given) ? undefined : given;
    this.freshUntil = this.failed ? 0 : freshUntil;
    this.operation = operation;
    this.givenName = givenName;
  }

  /** Bytes of memory, about. */
  get size(): number {
    return 2 * this.text.length + overhead;
  }

  /** Whole seconds for which it may be used again. */
  get freshSeconds(): number {
    return Math.max(Math.floor((this.freshUntil - performance.now()) / 1_000), 0);
  }

  /** Its entity tag (RFC 9110 §8.8.3). It is weak, because a response may be compressed. */
  get tag(): string {
    this.#tag ??= `W/"${hash("sha256", this.text, "base64url")}"`;
    return this.#tag;
  }
}

type Waiting = (found: Answer | Execution) => void;

/** The execution of a request. Whoever gets one must end it. */
export class Execution {
  /**
   * Whether the operation is a query. It is known once the operation is parsed, or if the same question was a query
   * before. No request waits for the end of a mutation.
   */
  isQuery: boolean;
  readonly beganAt = performance.now();
  /** The requests that wait for the execution after this one. */
  waiting: Waiting[] = [];
  timer: NodeJS.Timeout | undefined;
  readonly #readers: readonly Waiting[];
  readonly #begin: (readers?: readonly Waiting[]) => Execution;
  readonly #onEnd: (answer: Answer | undefined) => void;
  #hasEnded = false;

  /** `readers` get this answer. `begin` begins another execution of the same question. */
  constructor(
    isQuery: boolean,
    readers: readonly Waiting[],
    begin: (readers?: readonly Waiting[]) => Execution,
    onEnd: (answer: Answer | undefined) => void,
  ) {
    this.isQuery = isQuery;
    this.#readers = readers;
    this.#begin = begin;
    this.#onEnd = onEnd;
  }

  /** Ends it. Without an answer, its readers are executed themselves. Only the first call counts. */
  end(answer?: Answer): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onEnd(answer);
    for (const resolve of this.#readers) resolve(answer ?? this.#begin());
    this.beginNext();
  }

  /** Executes the first that waits. */
  beginNext(): void {
    clearTimeout(this.timer);
    const [first, ...readers] = this.waiting;
    this.waiting = [];
    first?.(this.#begin(readers));
  }
}

export class Answers {
  readonly #cache: CallerCache;
  /** The last execution of each question of each caller. */
  readonly #underWay = new TransientMap<Execution>();
  /**
   * Questions that were queries before. Without this memory, all identical requests of one turn of the event loop would
   * be executed.
   */
  readonly #queries = new LRUCache<string, true>({
    maxSize: knownQueryCharacters,
    sizeCalculation: (_true, key) => key.length,
  });

  constructor(cache: CallerCache) {
    this.#cache = cache;
  }

  /** The answer to a request, or the execution that it must make. */
  find(request: FastifyRequest, { identity }: Forwarded): Answer | Execution | Promise<Answer | Execution> {
    const question = questionOf(request);
    const kept = this.#cache.get(identity, question);
    if (kept instanceof Answer && kept.freshUntil > performance.now()) return kept;
    const key = identity + question;
    const last = this.#underWay.get(key);
    if (!last?.isQuery) return this.#begin(identity, question, key);
    if (!last.timer) {
      const waitMs = last.beganAt + pauseMs - performance.now();
      if (waitMs <= 0) return this.#begin(identity, question, key);
      last.timer = setTimeout(() => last.beginNext(), waitMs);
    }
    return new Promise((resolve) => last.waiting.push(resolve));
  }

  #begin(identity: string, question: string, key: string, readers: readonly Waiting[] = []): Execution {
    const begin = (waiting?: readonly Waiting[]) => this.#begin(identity, question, key, waiting);
    const execution = new Execution(this.#queries.has(key), readers, begin, (answer) => {
      if (this.#underWay.get(key) === execution) this.#underWay.delete(key);
      if (execution.isQuery) this.#queries.set(key, true);
      if (answer && answer.freshSeconds > 0) this.#cache.set(identity, question, answer, execution.beganAt);
    });
    this.#underWay.set(key, execution);
    return execution;
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
  return digested(`${method} ${url}\n${headers["accept-language"] ?? ""}\n${text}`, mostCharacters);
}

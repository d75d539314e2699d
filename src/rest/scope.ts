/**
 * One GraphQL request as its REST calls see it: the headers they carry, the calls it may still make, the time that is
 * left, and the reads to give up when its client leaves. Nothing here outlives the request.
 */
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";

type Abort = (failure: CodedError) => void;

export class Scope {
  readonly headers: Readonly<Record<string, string>>;
  readonly #config: Config;
  readonly #deadline: number;
  readonly #reads = new Set<Abort>();
  #calls = 0;
  #left = false;

  constructor(config: Config, headers: Readonly<Record<string, string>>) {
    this.#config = config;
    this.headers = headers;
    this.#deadline = performance.now() + config.env.REQUEST_TIMEOUT_MS;
  }

  /** Counts one call; throws when it is one too many, or when a read has nobody left to answer to. */
  enter(isRead: boolean): void {
    const { MAX_REST_CALLS: limit } = this.#config.env;
    if (isRead && this.#left) throw clientLeft();
    if (++this.#calls > limit) {
      throw new CodedError("CALL_LIMIT", `one request makes at most ${limit} REST calls`, {
        limit: "MAX_REST_CALLS",
        value: limit,
      });
    }
  }

  /** Milliseconds until the request's deadline. */
  get remainingMs(): number {
    return this.#deadline - performance.now();
  }

  limits(): { timeoutMs: number; maxBytes: number } {
    const { CALL_TIMEOUT_MS, MAX_RESPONSE_BYTES } = this.#config.env;
    return { timeoutMs: Math.min(CALL_TIMEOUT_MS, this.remainingMs), maxBytes: MAX_RESPONSE_BYTES };
  }

  /** Notes a read under way; a mutation is never given up. The answer ends the note. */
  abortable(method: string, abort: Abort): () => void {
    if (method !== "GET" && method !== "HEAD") return noop;
    this.#reads.add(abort);
    return () => this.#reads.delete(abort);
  }

  /** The client has left: its reads end now, and no other begins. */
  leave(): void {
    this.#left = true;
    for (const abort of this.#reads) abort(clientLeft());
  }
}

const clientLeft = (): CodedError =>
  new CodedError("CLIENT_CLOSED_REQUEST", "the client left before the answer");
const noop = (): void => {};

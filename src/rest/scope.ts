/**
 * One GraphQL request as its REST calls see it: the headers they carry, the calls it may still make, the time that is
 * left, and the reads to give up when its client leaves. Nothing here outlives the request.
 */
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import type { Answer } from "./answer.ts";

/** What of a request travels on to REST, and whose request it is. */
export type Forwarded = { readonly headers: Readonly<Record<string, string>>; readonly caller: string };

/** Something that can be given up while it is under way. */
type Begun = { giveUp(failure: CodedError): void };

export class Scope {
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: string;
  /** The reads that this request has made, by URL and the operation's own headers; null for one that failed. */
  readonly reads = new Map<string, Promise<Answer> | null>();
  readonly #config: Config;
  readonly #deadline: number;
  readonly #begun: Begun[] = [];
  #calls = 0;
  #left = false;

  constructor(config: Config, { headers, caller }: Forwarded) {
    this.#config = config;
    this.headers = headers;
    this.caller = caller;
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

  /** Whether there is time, and a call left, to try something again after a wait. */
  mayCallIn(waitMs: number): boolean {
    return waitMs < this.remainingMs && this.#calls < this.#config.env.MAX_REST_CALLS;
  }

  /** Waits; rejects as soon as the client leaves. */
  pause(waitMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.began({
      giveUp(failure) {
        clearTimeout(timer);
        reject(failure);
      },
    });
    return promise;
  }

  /** Milliseconds that the next call may take. */
  get callTimeoutMs(): number {
    return Math.min(this.#config.env.CALL_TIMEOUT_MS, this.remainingMs);
  }

  get maxResponseBytes(): number {
    return this.#config.env.MAX_RESPONSE_BYTES;
  }

  /** Notes what is to be given up when the client leaves. */
  began(call: Begun): void {
    this.#begun.push(call);
  }

  /** The client has left: its reads end now, and no other begins. */
  leave(): void {
    this.#left = true;
    const failure = clientLeft();
    for (const call of this.#begun) call.giveUp(failure);
  }
}

const clientLeft = (): CodedError =>
  new CodedError("CLIENT_CLOSED_REQUEST", "the client left before the answer");

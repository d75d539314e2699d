/**
 * One GraphQL request as its REST calls see it: the headers they carry, the calls it may still make, the time and the
 * bytes it has left, and the reads to abandon when its client leaves. Nothing here outlives the request.
 */
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import type { Operation } from "./operation.ts";
import type { RestResponse } from "./rest-response.ts";
import type { Account, FairShare } from "./shares/fair-share.ts";
import type { HeldBytes } from "./shares/held-bytes.ts";
import { processorMs } from "./shares/processor-time.ts";

type Headers = Readonly<Record<string, string>>;

/** The headers of a request that travel on to REST, its credentials, and the caller that the request belongs to. */
export type Forwarded = {
  readonly headers: Headers;
  readonly credentials: Headers;
  readonly caller: string;
};

/** The budgets that all requests of the process share. */
export type Shares = { readonly processor: FairShare; readonly bytes: HeldBytes };

type Abandon = (failure: CodedError) => void;

export class RequestScope {
  readonly caller: string;
  /** The reads of this request, by operation, URL and the operation's own headers. `null`: the read failed. */
  readonly reads = new Map<string, Promise<RestResponse> | null>();
  readonly #headers: Headers;
  readonly #credentials: Headers;
  readonly #headersOf = new Map<Operation, Headers>();
  readonly #config: Config;
  readonly #deadline: number;
  readonly #abandons: Abandon[] = [];
  readonly #shares: Shares;
  readonly #account: Account;
  #held = 0;
  #isClosed = false;
  #calls = 0;
  #hasLeft = false;

  constructor(config: Config, shares: Shares, { headers, credentials, caller }: Forwarded) {
    this.#config = config;
    this.#shares = shares;
    this.#account = shares.processor.enter(caller);
    this.#headers = headers;
    this.#credentials = credentials;
    this.caller = caller;
    this.#deadline = performance.now() + config.env.REQUEST_TIMEOUT_MS;
  }

  /** Whether the request came with a credential that some operation takes. */
  get hasCredentials(): boolean {
    return Object.keys(this.#credentials).length > 0;
  }

  /** The headers that travel on to an operation, with the credentials that it takes. */
  headersOf(operation: Operation): Headers {
    const known = this.#headersOf.get(operation);
    if (known) return known;
    const headers: Record<string, string> = { ...this.#headers };
    for (const name of operation.credentials?.flat() ?? []) {
      const value = this.#credentials[name];
      if (value !== undefined) headers[name] = value;
    }
    this.#headersOf.set(operation, headers);
    return headers;
  }

  /** Counts one call. Throws when the call is one too many, or when it is a read and the client has left. */
  enter(isRead: boolean): void {
    const { MAX_REST_CALLS: limit } = this.#config.env;
    if (isRead && this.#hasLeft) throw clientLeft();
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

  /** Whether time and a call are left for a retry after a wait. */
  mayCallIn(waitMs: number): boolean {
    return waitMs < this.remainingMs && this.#calls < this.#config.env.MAX_REST_CALLS;
  }

  /** Waits. Rejects as soon as the client leaves. */
  pause(waitMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    this.onLeave((failure) => {
      clearTimeout(timer);
      reject(failure);
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

  /** Calls `abandon` when the client leaves. */
  onLeave(abandon: Abandon): void {
    this.#abandons.push(abandon);
  }

  /** Takes bytes of REST's responses from the budgets. Returns the failure if they have less left. */
  hold(bytes: number, isRead: boolean): CodedError | undefined {
    if (this.#isClosed) return clientLeft();
    const failure = this.#shares.bytes.take(this.caller, this.#held, bytes, isRead);
    if (!failure) this.#held += bytes;
    return failure;
  }

  /** Gives back the bytes of a response that failed. */
  drop(bytes: number): void {
    if (this.#isClosed) return;
    this.#held -= bytes;
    this.#shares.bytes.giveBack(this.caller, bytes);
  }

  /** Resolves when its caller may start a request. `undefined`: at once. Rejects with `SERVICE_UNAVAILABLE`. */
  start(): Promise<void> | undefined {
    return this.#shares.processor.turnOf(this.#account, "starting");
  }

  /** Charges processor time to the caller. */
  worked(ms: number): void {
    this.#shares.processor.worked(this.#account, ms);
  }

  /** Takes a response in. A read waits until its caller may go on; usually that is at once, without a promise. */
  read(response: RestResponse, isRead: boolean): RestResponse | Promise<RestResponse> {
    const turn = isRead ? this.#shares.processor.turnOf(this.#account, "going") : undefined;
    return turn ? turn.then(() => this.#charge(response)) : this.#charge(response);
  }

  /** Charges a response's parsing. A small one is charged by its length, and parsed when its value is read. */
  #charge(response: RestResponse): RestResponse {
    const { unparsed } = response;
    if (unparsed < largeBody) {
      this.worked(msPerCall + unparsed / charactersPerMs);
      return response;
    }
    const began = processorMs();
    response.parse();
    this.worked(processorMs() - began + msPerCall);
    return response;
  }

  /** Ends the request: its bytes are given back, and its reads are abandoned. */
  close(): void {
    this.leave();
    this.drop(this.#held);
    this.#isClosed = true;
  }

  /** The client has left: the reads under way are abandoned, and no other begins. */
  leave(): void {
    this.#hasLeft = true;
    const failure = clientLeft();
    for (const abandon of this.#abandons) abandon(failure);
  }
}

/** Processor time of a call beside its parsing: it is encoded, sent and received. */
const msPerCall = 0.1;
/** Characters of JSON that are parsed in a millisecond. Measured: 132,000 to 297,000. */
const charactersPerMs = 130_000;
/** The parsing of a body with so many characters is measured. */
const largeBody = 65_536;

const clientLeft = (): CodedError =>
  new CodedError("CLIENT_CLOSED_REQUEST", "the client left before the answer");

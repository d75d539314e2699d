/**
 * State shared by the REST calls of one GraphQL execution: the headers to forward, the remaining calls, time and bytes, and the
 * reads to abandon when the client disconnects. A scope is closed at the end of the execution, but the admission of the HTTP
 * request (`place`) lasts until the end of the request.
 */
import { CodedError, clientDisconnected } from "../coded-error.ts";
import { processRunTime } from "../deadline.ts";
import type { Caller } from "../governor/caller.ts";
import { type ProcessBudgets, processFull, requestTooLarge } from "../governor/process-budgets.ts";
import { type Pausable, TickWork } from "../governor/processor-share.ts";
import { charactersPerMs, largeBody, msPerCall, startWork } from "../governor/work-costs.ts";
import type { Config } from "../settings/config.ts";
import type { CallerHeaders } from "./caller-headers.ts";
import { neverStored, type RestResponse } from "./rest-response.ts";

type Abandon = (failure: CodedError) => void;

type Admitted = Pausable & { readonly caller: Caller };

export class RequestScope {
  readonly forwarded: CallerHeaders;
  readonly caller: Caller;
  /** The admission of the HTTP request; paused while the request waits for its caller's share of the processor. */
  readonly place: Admitted | undefined;
  /** The reads of this request by operation, URL and header parameters; null for a read that has failed. */
  readonly reads = new Map<string, Promise<RestResponse> | null>();
  isClosed = false;
  /** Called at the end of `close`. The request's writes have then ended too. */
  onClose = (): void => {};
  readonly #config: Config;
  readonly since = performance.now();
  /** The request's deadline on the clock of `processRunTime`. */
  readonly #endsAt: number;
  /** Functions that abandon the reads in flight and the pauses before retries. They are called when the client disconnects. */
  readonly #inFlight = new Set<Abandon>();
  readonly #shares: ProcessBudgets;
  #reservedBytes = 0;
  #freshUntil = Number.POSITIVE_INFINITY;
  #calls = 0;
  #hasLeft = false;
  readonly #tickWork = new TickWork();

  /** If there is no `admission`, the caller is identified by the owners of the credentials in `forwarded`. */
  constructor(config: Config, shares: ProcessBudgets, forwarded: CallerHeaders, admission?: Admitted) {
    this.#config = config;
    this.#shares = shares;
    this.caller =
      admission?.caller.enter() ?? shares.processor.enter(forwarded.caller, forwarded.otherCallers);
    this.forwarded = forwarded;
    this.place = admission;
    this.#endsAt = processRunTime() + config.env.REQUEST_TIMEOUT_MS;
  }

  /** Returns a new scope of the same caller, for a call whose response several requests may use. */
  fresh(): RequestScope {
    return new RequestScope(this.#config, this.#shares, this.forwarded, this.place);
  }

  /** Counts a call. Throws if the limit is exceeded, or if the client of a read has disconnected. */
  enter(isRead: boolean): void {
    const { MAX_REST_CALLS: limit } = this.#config.env;
    if (isRead && this.#hasLeft) throw clientDisconnected();
    if (++this.#calls > limit) {
      throw new CodedError("CALL_LIMIT", `one request makes at most ${limit} REST calls`, {
        limit: "MAX_REST_CALLS",
        value: limit,
      });
    }
  }

  /** Whether the limits allow a call after `waitMs`. */
  mayCallIn(waitMs: number): boolean {
    return waitMs < this.#endsAt - processRunTime() && this.#calls < this.#config.env.MAX_REST_CALLS;
  }

  get callTimeoutMs(): number {
    return Math.min(this.#config.env.CALL_TIMEOUT_MS, this.#endsAt - processRunTime());
  }

  get maxResponseBytes(): number {
    return this.#config.env.MAX_RESPONSE_BYTES;
  }

  /** Registers a function that is called when the client disconnects. `ended` removes the function. */
  onLeave(abandon: Abandon): void {
    this.#inFlight.add(abandon);
  }

  ended(abandon: Abandon): void {
    this.#inFlight.delete(abandon);
  }

  /**
   * Reserves bytes for a REST response in the budgets of the request and of the process. If a budget is exhausted, returns an
   * error. A write's response is accepted even if the process has no bytes left, because the write cannot be repeated.
   */
  reserve(bytes: number, isRead: boolean): CodedError | undefined {
    const { MAX_REQUEST_BYTES: most } = this.#config.env;
    if (this.isClosed) return clientDisconnected();
    if (this.#reservedBytes + bytes > most) return requestTooLarge(most);
    const refusal = isRead && this.#shares.bytes.refusal(this.caller, bytes);
    if (refusal) return processFull(refusal);
    this.#shares.bytes.add(this.caller, bytes);
    this.#reservedBytes += bytes;
    return undefined;
  }

  /** Releases the bytes of a failed response. */
  release(bytes: number): void {
    if (this.isClosed || bytes === 0) return;
    this.#reservedBytes -= bytes;
    this.#shares.bytes.giveBack(this.caller, bytes);
  }

  /** Waits for the caller's share of the processor; `undefined` if no wait is needed. Rejects with `SERVICE_UNAVAILABLE`. */
  turn(): Promise<void> | undefined {
    return this.#shares.processor.turnOf(this.caller, this);
  }

  charge(ms: number): void {
    this.#shares.processor.charge(this.caller, ms, this.#tickWork);
  }

  /** Charges the estimated time to parse a request or serialize a response of this length. */
  chargeText({ length }: { readonly length: number }): void {
    this.charge(length / charactersPerMs);
  }

  /** Runs `run` and charges its processor time. */
  measured<T>(run: () => T): T {
    const workedMs = startWork();
    try {
      return run();
    } finally {
      this.charge(workedMs());
    }
  }

  /** Runs `run` when the caller has a permit to decompress a response. */
  decompressed<T>(run: () => Promise<T>): Promise<T> {
    return this.#shares.decompression.run(this.caller, run);
  }

  /**
   * Runs `run` when the caller may use the processor, and charges its time. Does not wait if the request's responses are small.
   */
  completed<T>(run: () => T): T | Promise<T> {
    if (this.#reservedBytes < largeBody) return run();
    const turn = this.turn();
    return turn ? turn.then(() => this.measured(run)) : this.measured(run);
  }

  /**
   * Accepts the response of a call and charges the time to parse it. The response of a read waits for the caller's share of the
   * processor. Usually there is no need to wait, and the response is returned without a promise.
   */
  read(response: RestResponse, isRead: boolean): RestResponse | Promise<RestResponse> {
    this.#freshUntil = Math.min(this.#freshUntil, response.freshUntil);
    const turn = isRead ? this.turn() : undefined;
    return turn ? turn.then(() => this.#charge(response)) : this.#charge(response);
  }

  /**
   * Prevents later requests from reusing this request's GraphQL response: each must check that the tenant's credential still
   * exists.
   */
  mustExecute(): void {
    this.#freshUntil = Math.min(this.#freshUntil, performance.now());
  }

  /** The earliest `freshUntil` of all responses; `neverStored` if there are none. */
  get freshUntil(): number {
    return Number.isFinite(this.#freshUntil) ? this.#freshUntil : neverStored;
  }

  /** Accepts a response that is already parsed and charged: a cached one, or one that another request has fetched. */
  take(response: RestResponse): RestResponse | Promise<RestResponse> {
    this.#freshUntil = Math.min(this.#freshUntil, response.freshUntil);
    const turn = this.turn();
    return turn ? turn.then(() => response) : response;
  }

  /**
   * Charges an estimated time for a small response, which is parsed when first read. Parses a large response at once, and charges
   * the measured time.
   */
  #charge(response: RestResponse): RestResponse {
    const isSmall = response.unparsed < largeBody;
    this.charge(msPerCall + (isSmall ? response.unparsed / charactersPerMs : 0));
    if (!isSmall) this.measured(() => response.parse());
    return response;
  }

  /** Releases the reserved bytes and abandons the reads in flight. */
  close(): void {
    if (this.isClosed) return;
    this.leave();
    this.release(this.#reservedBytes);
    this.reads.clear();
    this.isClosed = true;
    this.caller.leave();
    this.onClose();
  }

  /** Called when the client disconnects. Abandons the reads in flight and refuses further reads. */
  leave(): void {
    this.#hasLeft = true;
    if (this.#inFlight.size === 0) return;
    const failure = clientDisconnected();
    for (const abandon of this.#inFlight) abandon(failure);
    this.#inFlight.clear();
  }
}

/**
 * One HTTP exchange over an undici pool: sends a request and receives the whole body, whose size is limited. Redirects are not
 * followed. All failures are `CodedError`s. `PendingCall` enforces the deadlines.
 */
import { isUtf8 } from "node:buffer";
import type { Dispatcher } from "undici";
import { exactText } from "../../../shared/exact-integers.ts";
import { isJson } from "../../../shared/media-type.ts";
import { Dictionary } from "../../../shared/own.ts";
import { CodedError } from "../../coded-error.ts";
import { decompressedPerMs, largeBody } from "../../governor/work-costs.ts";
import {
  isWithoutBody,
  maxInterimResponses,
  tooManyInterimResponses,
  upstreamFailure,
} from "../../http/upstream-failure.ts";
import { TickBatch } from "../../tick-batch.ts";
import type { CallCredentials } from "../held-credentials.ts";
import type { RequestScope } from "../request-scope.ts";
import { tooLarge } from "../rest-failure.ts";
import { mediaTypeOf, type RawHeaders, RestResponse, withoutTrailingSpace } from "../rest-response.ts";
import { contentCodings, decompress } from "./decompress.ts";
import { jsonValueBytes } from "./json-bytes.ts";

type Budget = Pick<
  RequestScope,
  "maxResponseBytes" | "reserve" | "release" | "charge" | "measured" | "decompressed"
>;

const noBody = Buffer.alloc(0);

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #outcome = Promise.withResolvers<RestResponse>();
  readonly response = this.#outcome.promise;
  readonly #budget: Budget;
  readonly #isRead: boolean;
  readonly #isUnread: boolean;
  readonly #credentials: CallCredentials | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: CodedError | undefined;
  #status = 0;
  #headers: RawHeaders = {};
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** The complete body; `undefined` until it has arrived. `finish` processes the body at the end of the tick. */
  #body: Buffer | undefined;
  #reservedBytes = 0;
  #interim = 0;
  #isAbandoned = false;

  /**
   * `maxResponseBytes` and `budget` limit three sizes of the body: as received, decompressed, and as estimated from its JSON
   * values (`json-bytes.ts`). If `isUnread` is set, the body of a 2xx response is discarded. `held` are the server's credentials,
   * to be masked in the response.
   */
  constructor(budget: Budget, isRead: boolean, isUnread = false, held?: CallCredentials) {
    this.#budget = budget;
    this.#isRead = isRead;
    this.#isUnread = isUnread;
    this.#credentials = held;
  }

  get hasConnection(): boolean {
    return this.#controller !== undefined;
  }

  /**
   * Sends the request, unless the exchange has already been aborted. A write is not sent while its caller's byte budget is
   * exhausted: after the write is sent, its response cannot be refused.
   */
  send(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): void {
    const failure = this.#isRead ? undefined : this.#budget.reserve(0, true);
    if (failure) this.#fail(failure);
    if (!this.#failure) dispatcher.dispatch(request, this);
  }

  /** Discards the response but lets it complete, so that the connection can be reused. */
  abandon(): void {
    this.#isAbandoned = true;
    if (this.#body) this.#body = noBody;
    this.#releaseBody();
  }

  /** Fails the exchange and closes its connection. Does nothing if the body is complete. */
  abort(failure: CodedError): void {
    if (this.#failure || this.#body) return;
    this.#fail(failure);
    this.#controller?.abort(failure); // has no effect on a complete response
  }

  #fail(failure: CodedError): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#releaseBody();
    this.#outcome.reject(failure);
  }

  #releaseBody(): void {
    this.#chunks = [];
    this.#budget.release(this.#reservedBytes);
    this.#reservedBytes = 0;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200) {
      if (++this.#interim > maxInterimResponses) this.abort(tooManyInterimResponses());
      return; // the final response follows (RFC 9110 §15.2)
    }
    this.#status = status;
    this.#headers = this.#withoutCredentials(withoutTrailingSpace(headers));
    if (isWithoutBody(status)) return this.#complete(noBody);
    const failure = this.#isSkipped ? undefined : this.#excess(Number(headers["content-length"]));
    if (failure) this.abort(failure);
  }

  #withoutCredentials(headers: RawHeaders): RawHeaders {
    const credentials = this.#credentials;
    if (!credentials) return headers;
    const masked = new Dictionary<string | string[] | undefined>(headers);
    for (const [name, value] of Object.entries(masked))
      masked[name] = Array.isArray(value)
        ? value.map((each) => credentials.masked(each))
        : value && credentials.masked(value);
    return masked;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSkipped) return;
    this.#bytes += chunk.length;
    const failure = this.#excess(this.#bytes);
    if (failure) this.abort(failure);
    else if (!this.#failure) this.#chunks.push(chunk);
  }

  get #isSkipped(): boolean {
    return this.#isAbandoned || (this.#isUnread && this.#status >= 200 && this.#status < 300);
  }

  /** Reserves bytes of the body in the budget, minus those already reserved. Returns an error if a limit is exceeded. */
  #excess(bytes: number): CodedError | undefined {
    if (this.#failure || !(bytes > this.#reservedBytes)) return undefined; // `bytes` is NaN without a valid Content-Length
    const { maxResponseBytes } = this.#budget;
    if (bytes > maxResponseBytes) return tooLarge(maxResponseBytes);
    const failure = this.#budget.reserve(bytes - this.#reservedBytes, this.#isRead);
    if (!failure) this.#reservedBytes = bytes;
    return failure;
  }

  onResponseEnd(): void {
    if (isWithoutBody(this.#status)) return;
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    const codings = contentCodings(this.#headers["content-encoding"]);
    if (codings.length === 0 || this.#isSkipped || body.length === 0) return this.#complete(body);
    this.#budget
      .decompressed(() => this.#decompress(codings, body))
      .then(
        (plain) => this.#complete(plain),
        (failure: CodedError) => this.#fail(failure),
      );
  }

  /** Stops if the exchange fails in the meantime. */
  async #decompress(codings: readonly string[], body: Buffer): Promise<Buffer> {
    let plain = 0;
    if (this.#failure) throw this.#failure;
    try {
      return await decompress(codings, body, (bytes, chunk) => {
        plain += chunk;
        return this.#failure ?? this.#excess(bytes);
      });
    } finally {
      this.#budget.charge(plain / decompressedPerMs);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(upstreamFailure(error, this.hasConnection)); // undici also reports the abort itself; `#fail` ignores it
  }

  #complete(body: Buffer): void {
    this.#body = body;
    completed.add(this);
  }

  finish(): void {
    const body = this.#body;
    if (this.#failure || !body) return;
    const read = () => this.#read(body);
    try {
      const response = body.length < largeBody ? read() : this.#budget.measured(read);
      if (response instanceof CodedError) return this.#fail(response);
      this.#chunks = [];
      this.#outcome.resolve(response);
    } catch (error) {
      this.#fail(
        new CodedError("INTERNAL_SERVER_ERROR", "the response could not be read", {}, { cause: error }),
      );
    }
  }

  /** Returns the response, or an error if the body is too large or not UTF-8. */
  #read(body: Buffer): RestResponse | CodedError {
    const failure = this.#excess(body.length) ?? (isUtf8(body) ? undefined : notUtf8());
    if (failure) return failure;
    const mediaType = mediaTypeOf(this.#headers);
    const sent = isJson(mediaType) ? exactText(body) : body.toString("utf8");
    const whole = this.#credentials?.masked(sent) ?? sent;
    // a byte order mark, which some servers send, is not part of the text (RFC 8259 §8.1)
    const text = whole.replace(/^\uFEFF/, "");
    const bytes = Math.max(
      jsonValueBytes(text, this.#status, mediaType, this.#budget.maxResponseBytes),
      body.length,
    );
    return this.#excess(bytes) ?? new RestResponse(this.#status, this.#headers, text, bytes);
  }
}

const completed = new TickBatch<Exchange>((exchange) => exchange.finish());

const notUtf8 = (): CodedError => new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not UTF-8");

/**
 * One HTTP exchange over an undici pool: request out, whole body in, bounded in time and size, abortable. Redirects
 * are answers like any other and never followed. Whatever goes wrong rejects with a `CodedError`.
 */
import { isUtf8 } from "node:buffer";
import type { Dispatcher } from "undici";
import { CodedError } from "../errors.ts";
import { decompress } from "./decompress.ts";
import { connectionFailure, NoTurn, NotSent, tooLarge } from "./failure.ts";
import { Line, type Queue, type Waiting } from "./turns.ts";

export type Outgoing = {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Milliseconds until the request must be on a connection; waiting counts, unless the queue moves. */
  readonly connectTimeoutMs: number;
  /** Its caller's, which it enters; whoever made the exchange has it leave. */
  readonly line: Line;
  /** Milliseconds for the whole exchange. */
  readonly timeoutMs: number;
  /** Bytes of the body, decompressed. */
  readonly maxBytes: number;
};

/** What is under way: its answer, and how to end it now with a failure; its socket is closed then. */
export type Exchange = Waiting & {
  readonly incoming: Promise<Incoming>;
  abort(failure: CodedError): void;
};

export type Incoming = {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
};

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Begins an exchange: it is sent at once if it is its turn, else when it is. */
export function exchange(dispatcher: Dispatcher, outgoing: Outgoing): Exchange {
  const handler = new BodyHandler(dispatcher, outgoing);
  if (outgoing.line.enter(handler)) handler.send();
  return handler;
}

class BodyHandler implements Dispatcher.DispatchHandler, Exchange {
  readonly incoming: Promise<Incoming>;
  waits = false;
  readonly #dispatcher: Dispatcher;
  readonly #outgoing: Outgoing;
  #resolve!: (incoming: Incoming) => void;
  #reject!: (error: unknown) => void;
  #timer: NodeJS.Timeout;
  #delayMs: number;
  #spentMs = 0;
  #queue: Queue;
  #answersBefore: number;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: CodedError | undefined;
  #status = 0;
  #headers: Headers = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(dispatcher: Dispatcher, outgoing: Outgoing) {
    this.#dispatcher = dispatcher;
    this.#outgoing = outgoing;
    this.incoming = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#queue = outgoing.line;
    this.#answersBefore = this.#queue.answers;
    this.#delayMs = Math.max(Math.min(outgoing.connectTimeoutMs, outgoing.timeoutMs), 0);
    this.#timer = setTimeout(() => this.#late(), this.#delayMs);
  }

  send(): void {
    const { method, path, headers, body, line } = this.#outgoing;
    this.#queue = line.pool;
    this.#answersBefore = this.#queue.answers;
    this.#dispatcher.dispatch(
      {
        method: method as Dispatcher.HttpMethod,
        path,
        headers: headers as Record<string, string>,
        body: body ?? null,
      },
      this,
    );
  }

  turn(): void {
    if (this.#failure) return;
    this.send();
    this.#answersBefore -= this.#queue.connections; // to get a turn is to move
  }

  /** One timer for both deadlines: whoever has a connection by the first, or moves towards one, goes on to the second. */
  #late(): void {
    const { connectTimeoutMs, timeoutMs } = this.#outgoing;
    this.#spentMs += this.#delayMs;
    const leftMs = timeoutMs - this.#spentMs;
    const moves = this.#queue.answers - this.#answersBefore >= this.#queue.connections;
    if (!this.#controller && (leftMs <= 0 || !moves)) return this.abort(noConnection(this.#queue));
    if (leftMs <= 0) return this.abort(noAnswer());
    this.#answersBefore = this.#queue.answers;
    this.#delayMs = this.#controller ? leftMs : Math.min(connectTimeoutMs, leftMs);
    this.#timer = setTimeout(() => this.#late(), this.#delayMs);
  }

  abort(failure: CodedError): void {
    if (this.#failure) return;
    this.#failure = failure;
    this.#chunks = [];
    clearTimeout(this.#timer);
    this.#controller?.abort(failure);
    this.#reject(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
    if (Number(headers["content-length"]) > this.#outgoing.maxBytes)
      this.abort(tooLarge(this.#outgoing.maxBytes));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#outgoing.maxBytes) this.abort(tooLarge(this.#outgoing.maxBytes));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    const encoding = this.#headers["content-encoding"];
    if (encoding === undefined || encoding === "identity") return this.#settle(body);
    decompress(String(encoding), body, this.#outgoing.maxBytes).then(
      (plain) => this.#settle(plain),
      this.#reject,
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    if (!this.#failure) this.#reject(connectionFailure(error));
  }

  #settle(body: Buffer): void {
    if (!isUtf8(body))
      return this.#reject(new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not UTF-8"));
    const header = (name: string): string | undefined => {
      const value = this.#headers[name.toLowerCase()];
      return Array.isArray(value) ? value[0] : value;
    };
    this.#resolve({ status: this.#status, header, text: body.toString("utf8") });
  }
}

const noConnection = (queue: Queue): CodedError =>
  new CodedError(
    "UPSTREAM_TIMEOUT",
    "no connection in time",
    {},
    new (queue instanceof Line ? NoTurn : NotSent)(),
  );

const noAnswer = (): CodedError => new CodedError("UPSTREAM_TIMEOUT", "no answer in time");

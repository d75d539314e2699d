/**
 * One HTTP exchange over an undici pool: request out, whole body in, bounded in time and size, abortable. Redirects
 * are answers like any other and never followed. Whatever goes wrong rejects with a `CodedError`.
 */
import { isUtf8 } from "node:buffer";
import type { Dispatcher } from "undici";
import { CodedError } from "../errors.ts";
import { Answer, type RawHeaders } from "./answer.ts";
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
  /** Told once what it came to, before whoever waits for the answer is. */
  readonly over: (exchange: Exchange, outcome: Answer | CodedError) => void;
};

/** What is under way, and its answer. */
export type Exchange = Waiting & {
  readonly answer: Promise<Answer>;
  /**
   * Fails the answer now; nothing, once it is over. An answer that comes within `lingerMs` still leaves its connection
   * to the next call, which costs less than another connection; after that the socket is closed.
   */
  giveUp(failure: CodedError): void;
};

const lingerMs = 50;

/** Begins an exchange: it is sent at once if it is its turn, else when it is. */
export function exchange(dispatcher: Dispatcher, outgoing: Outgoing): Exchange {
  const handler = new BodyHandler(dispatcher, outgoing);
  if (outgoing.line.enter(handler)) handler.send();
  return handler;
}

class BodyHandler implements Dispatcher.DispatchHandler, Exchange {
  readonly answer: Promise<Answer>;
  waits = false;
  readonly #dispatcher: Dispatcher;
  readonly #outgoing: Outgoing;
  #resolve!: (answer: Answer) => void;
  #reject!: (error: unknown) => void;
  #timer: NodeJS.Timeout;
  #delayMs: number;
  #spentMs = 0;
  #queue: Queue;
  #answersBefore: number;
  #controller: Dispatcher.DispatchController | undefined;
  #outcome: Answer | CodedError | undefined;
  #status = 0;
  #headers: RawHeaders = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(dispatcher: Dispatcher, outgoing: Outgoing) {
    this.#dispatcher = dispatcher;
    this.#outgoing = outgoing;
    this.answer = new Promise((resolve, reject) => {
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

  /** In a turn of its own: one that fails at once gives its turn to the next. */
  turn(): void {
    queueMicrotask(() => {
      if (this.#outcome) return;
      this.send();
      this.#answersBefore -= this.#queue.connections; // to get a turn is to move
    });
  }

  /** One timer for both deadlines: whoever has a connection by the first, or moves towards one, goes on to the second. */
  #late(): void {
    const { connectTimeoutMs, timeoutMs } = this.#outgoing;
    this.#spentMs += this.#delayMs;
    const leftMs = timeoutMs - this.#spentMs;
    const moves = this.#queue.answers - this.#answersBefore >= this.#queue.connections;
    if (!this.#controller && (leftMs <= 0 || !moves)) return this.#abort(noConnection(this.#queue));
    if (leftMs <= 0) return this.#abort(noAnswer());
    this.#answersBefore = this.#queue.answers;
    this.#delayMs = this.#controller ? leftMs : Math.min(connectTimeoutMs, leftMs);
    this.#timer = setTimeout(() => this.#late(), this.#delayMs);
  }

  giveUp(failure: CodedError): void {
    if (this.#outcome) return;
    if (!this.#controller) return this.#abort(failure);
    this.#reject(failure);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abort(failure), lingerMs);
  }

  #abort(failure: CodedError): void {
    if (this.#outcome) return;
    this.#end(failure);
    this.#controller?.abort(failure);
  }

  #end(outcome: Answer | CodedError): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    clearTimeout(this.#timer);
    this.#chunks = [];
    this.#outgoing.over(this, outcome);
    if (outcome instanceof Answer) this.#resolve(outcome);
    else this.#reject(outcome);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#outcome instanceof CodedError) controller.abort(this.#outcome);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (Number(headers["content-length"]) > this.#outgoing.maxBytes)
      this.#abort(tooLarge(this.#outgoing.maxBytes));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#outgoing.maxBytes) this.#abort(tooLarge(this.#outgoing.maxBytes));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    const encoding = this.#headers["content-encoding"];
    if (encoding === undefined || encoding === "identity") return this.#read(body);
    decompress(String(encoding), body, this.#outgoing.maxBytes).then(
      (plain) => this.#read(plain),
      (failure: CodedError) => this.#end(failure),
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#outcome) this.#end(connectionFailure(error)); // the abort of what was given up comes back here
  }

  #read(body: Buffer): void {
    this.#end(
      isUtf8(body)
        ? new Answer(this.#status, this.#headers, body.toString("utf8"))
        : new CodedError("BAD_UPSTREAM_RESPONSE", "the answer is not UTF-8"),
    );
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

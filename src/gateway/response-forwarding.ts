/**
 * Streams an upstream's response to the client. It bypasses Fastify's streams, which cost about as much as the rest of
 * a request. A client that reads slowly slows the upstream down. A client that leaves aborts the upstream call.
 */
import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { CodedError, clientLeft } from "../errors.ts";
import { mostInterimResponses, tooManyInterim } from "../http/upstream-failure.ts";
import type { UpstreamHeaders } from "./strip.ts";

/** Writes the status and headers to the client. An error that it throws fails the response. */
type Begin = (status: number, headers: UpstreamHeaders) => void;

export class ResponseForwarding implements Dispatcher.DispatchHandler {
  /** Resolves when the response begins, rejects when it cannot. A later failure breaks the client's connection. */
  readonly begun: Promise<void>;
  readonly #client: ServerResponse;
  readonly #begin: Begin;
  readonly #timer: NodeJS.Timeout;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: CodedError | undefined;
  #head: { readonly status: number; readonly headers: UpstreamHeaders } | undefined;
  #isBegun = false;
  #interim = 0;

  /** The upstream has `ms` milliseconds to send its status and headers. */
  constructor(client: ServerResponse, begin: Begin, ms: number) {
    this.#client = client;
    this.#begin = begin;
    this.begun = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => this.#fail(new CodedError("UPSTREAM_TIMEOUT", "no answer in time")), ms);
    client.once("close", () => {
      if (!client.writableFinished) this.#fail(clientLeft());
    });
  }

  /** Aborts the call, at once or as soon as it starts. */
  #fail(failure: CodedError): void {
    this.#failure = failure;
    this.#controller?.abort(failure);
    this.onResponseError(this.#controller, failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  /** Status and headers wait for the first byte of the body: if the upstream breaks off before it, the client gets a 502. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamHeaders,
  ): void {
    if (status < 200) {
      if (++this.#interim > mostInterimResponses) this.#fail(tooManyInterim());
      return; // the final one follows (RFC 9110 §15.2)
    }
    const refusal = refusalOf(status);
    if (refusal) return this.#fail(refusal);
    clearTimeout(this.#timer);
    this.#head = { status, headers };
    if (status === 204 || status === 304) this.onResponseEnd(); // such a response has no body, whatever its Content-Length (RFC 9110 §8.6)
  }

  #beginOnce(): void {
    if (this.#isBegun || !this.#head) return;
    this.#begin(this.#head.status, this.#head.headers);
    this.#isBegun = true;
    this.#resolve();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#beginOnce();
    if (this.#client.write(chunk)) return;
    controller.pause();
    this.#client.once("drain", () => controller.resume());
  }

  onResponseEnd(): void {
    this.#beginOnce();
    this.#client.end();
  }

  onResponseError(_controller: unknown, error: unknown): void {
    clearTimeout(this.#timer);
    if (!this.#isBegun) this.#reject(error);
    else if (!this.#client.writableEnded) this.#client.destroy();
  }
}

/** A redirect may name an internal host. A status over 599 has no meaning (RFC 9110 §15). */
function refusalOf(status: number): CodedError | undefined {
  if (status >= 300 && status < 400 && status !== 304)
    return new CodedError("UPSTREAM_ERROR", "the upstream answered with a redirect");
  return status >= 600 ? new CodedError("UPSTREAM_ERROR", "the upstream answered with no status") : undefined;
}

/**
 * Streams an upstream's response to the client. Bypasses Fastify's streams, because they cost about as much as the rest of a
 * request. A slow client's backpressure reaches the upstream. A body must arrive at a minimum rate, except while the client
 * applies backpressure. When a client disconnects, the upstream call has two seconds to complete before its connection is closed.
 * Otherwise, clients that disconnect repeatedly would delay all clients, because servers accept new connections one at a time.
 */
import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { CodedError, clientDisconnected } from "../runtime/coded-error.ts";
import { Deadline } from "../runtime/deadline.ts";
import {
  isWithoutBody,
  maxInterimResponses,
  tooManyInterimResponses,
  upstreamFailure,
} from "../runtime/http/upstream-failure.ts";
import { slowResponses } from "../runtime/settings/capacity.ts";
import type { UpstreamHeaders } from "./strip.ts";

export type ClientResponse = {
  /** Writes the status and headers to the client. An error that `begin` throws fails the response. */
  readonly begin: (status: number, headers: UpstreamHeaders) => void;
  /** Called when the upstream fails after `begin`. */
  readonly breakOff: (failure: CodedError) => void;
  /** Called once, when the client's and the upstream's connections are both free again. */
  readonly ended: () => void;
};

const lingerMs = 2_000;

export class ResponseForwarding implements Dispatcher.DispatchHandler {
  readonly #begin = Promise.withResolvers<void>();
  /** Resolves when the response begins. Rejects if the response fails first. A later failure closes the client's connection. */
  readonly begun = this.#begin.promise;
  readonly #client: ServerResponse;
  readonly #response: ClientResponse;
  readonly #ms: number;
  readonly #deadline: Deadline;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: CodedError | undefined;
  #head: { readonly status: number; readonly headers: UpstreamHeaders } | undefined;
  #isBegun = false;
  #hasLeft = false;
  readonly #busy = new Set(["client", "upstream"]);
  #interim = 0;
  /** Body bytes received since the deadline was last restarted. */
  #received = 0;

  /**
   * `ms` limits the time until the upstream sends status and headers. The body's rate is measured over periods of this length.
   */
  constructor(client: ServerResponse, response: ClientResponse, ms: number) {
    this.#client = client;
    this.#response = response;
    this.#ms = ms;
    this.#deadline = new Deadline(ms, () => this.#checkProgress());
    client.once("close", () => {
      if (!client.writableFinished) this.#leave();
      this.#free("client");
    });
  }

  /** Whether at least part of the request was written to the upstream's connection. */
  get wasSent(): boolean {
    return this.#controller !== undefined;
  }

  #free(connection: "client" | "upstream"): void {
    if (this.#busy.delete(connection) && this.#busy.size === 0) this.#response.ended();
  }

  #leave(): void {
    const failure = clientDisconnected();
    if (!this.#controller) return this.#fail(failure);
    this.#hasLeft = true;
    this.#begin.reject(failure);
    this.#deadline.restart(lingerMs);
    this.#controller.resume();
  }

  /** Fails a response that has not begun in time, or whose body arrived too slowly since the last check. */
  #checkProgress(): void {
    if (this.#hasLeft) return this.#fail(clientDisconnected());
    if (!this.#head) return this.#fail(new CodedError("UPSTREAM_TIMEOUT", "no response in time"));
    if (this.#received < (slowResponses.minimumRate * this.#ms) / 1_000) return this.#fail(tooSlow());
    this.#received = 0;
    this.#deadline.restart(this.#ms);
  }

  /** Aborts the call, immediately or as soon as it starts. */
  #fail(failure: CodedError): void {
    this.#failure = failure;
    this.#controller?.abort(failure);
    this.onResponseError(this.#controller, failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  /** Sends status and headers only with the first byte of the body, so that an earlier failure of the upstream becomes a 502. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamHeaders,
  ): void {
    if (status < 200) {
      if (++this.#interim > maxInterimResponses) this.#fail(tooManyInterimResponses());
      return; // this response is an interim one, and the final one follows (RFC 9110 §15.2)
    }
    const refusal = refusalOf(status);
    if (refusal) return this.#fail(refusal);
    if (!this.#hasLeft) this.#deadline.restart(this.#ms);
    this.#head = { status, headers };
    if (isWithoutBody(status)) this.onResponseEnd();
  }

  #beginOnce(): void {
    if (this.#isBegun || !this.#head || this.#hasLeft) return;
    this.#response.begin(this.#head.status, this.#head.headers);
    this.#isBegun = true;
    this.#begin.resolve();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasLeft) return;
    this.#beginOnce();
    this.#received += chunk.length;
    if (this.#client.write(chunk)) return;
    controller.pause();
    const { leftMs } = this.#deadline; // the deadline is suspended while the client applies backpressure
    this.#deadline.clear();
    this.#client.once("drain", () => {
      this.#deadline.restart(leftMs);
      controller.resume();
    });
  }

  onResponseEnd(): void {
    this.#deadline.clear();
    this.#free("upstream");
    this.#beginOnce();
    if (!this.#hasLeft) this.#client.end();
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#deadline.clear();
    this.#free("upstream");
    if (!this.#isBegun) return this.#begin.reject(error);
    if (this.#client.writableEnded) return;
    if (!this.#client.destroyed) this.#response.breakOff(upstreamFailure(error, true));
    this.#client.destroy();
  }
}

const tooSlow = (): CodedError =>
  new CodedError("UPSTREAM_TIMEOUT", "the response arrived too slowly", {}, { reason: "slow_response" });

/** Rejects invalid statuses above 599 (RFC 9110 §15), and redirects, because they may name an internal host. */
function refusalOf(status: number): CodedError | undefined {
  if (status >= 300 && status < 400 && status !== 304)
    return new CodedError("UPSTREAM_ERROR", "the upstream responded with a redirect");
  return status >= 600
    ? new CodedError("UPSTREAM_ERROR", "the upstream responded with an invalid status")
    : undefined;
}

/**
 * An answer on its way from an upstream straight to the client, past Fastify's streams, which cost about as much as all the
 * rest of a request. A slow reader holds the upstream back; who leaves ends the call.
 */
import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { CodedError } from "../errors.ts";

type RawHeaders = Record<string, string | string[] | undefined>;

/** Writes the head of the answer to the client; what it throws is the answer's failure. */
export type Begin = (status: number, headers: RawHeaders) => void;

export class Passage implements Dispatcher.DispatchHandler {
  /** Settled when the answer goes out, or when there will be none; later the client's connection breaks instead. */
  readonly begun: Promise<void>;
  readonly #client: ServerResponse;
  readonly #begin: Begin;
  readonly #timer: NodeJS.Timeout;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: CodedError | undefined;
  #head: { readonly status: number; readonly headers: RawHeaders } | undefined;
  #isBegun = false;

  /** The head must come within `ms`. */
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

  /** Ends the call, now or when it begins. */
  #fail(failure: CodedError): void {
    this.#failure = failure;
    this.#controller?.abort(failure);
    this.onResponseError(this.#controller, failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  /** The head waits for what follows it: an upstream that breaks off in between can still be answered for. */
  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200) return; // the final one follows (RFC 9110 §15.2)
    const refusal = refusalOf(status);
    if (refusal) return this.#fail(refusal);
    clearTimeout(this.#timer);
    this.#head = { status, headers };
    if (status === 204 || status === 304) this.onResponseEnd(); // whatever length it tells (RFC 9110 §8.6)
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

/** A redirect's Location may name a host that no client should know; a status over 599 says nothing (RFC 9110 §15). */
function refusalOf(status: number): CodedError | undefined {
  if (status >= 300 && status < 400 && status !== 304)
    return new CodedError("UPSTREAM_ERROR", "the upstream answered with a redirect");
  return status >= 600 ? new CodedError("UPSTREAM_ERROR", "the upstream answered with no status") : undefined;
}

/** For a client that is not there any more. */
export const clientLeft = (): CodedError => new CodedError("CLIENT_CLOSED_REQUEST", "the client left");

/**
 * An answer on its way from an upstream straight to the client, past Fastify's streams, which cost more than all the
 * rest of a request. A slow reader holds the upstream back; who leaves ends the call.
 */
import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { CodedError } from "../errors.ts";

type RawHeaders = Record<string, string | string[] | undefined>;

/** Writes the head of the answer to the client; what it throws is the answer's failure. */
export type Begin = (status: number, headers: RawHeaders) => void;

export class Passage implements Dispatcher.DispatchHandler {
  /** Settled when the head has gone out, or when there will be none; later the client's connection breaks instead. */
  readonly begun: Promise<void>;
  readonly #client: ServerResponse;
  readonly #begin: Begin;
  readonly #timer: NodeJS.Timeout;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: CodedError | undefined;
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

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200) return; // the final one follows (RFC 9110 §15.2)
    this.#begin(status, headers);
    clearTimeout(this.#timer);
    this.#isBegun = true;
    this.#resolve();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#client.write(chunk)) return;
    controller.pause();
    this.#client.once("drain", () => controller.resume());
  }

  onResponseEnd(): void {
    this.#client.end();
  }

  onResponseError(_controller: unknown, error: unknown): void {
    clearTimeout(this.#timer);
    if (this.#isBegun) this.#client.destroy();
    else this.#reject(error);
  }
}

/** For a client that is not there any more. */
export const clientLeft = (): CodedError => new CodedError("CLIENT_CLOSED_REQUEST", "the client left");

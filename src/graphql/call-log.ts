/**
 * Records the REST calls of one GraphQL request for a client that asks for them. A record holds names, times and counts.
 * It holds no part of a URL, a header or a body.
 */
import type { NoteCall } from "../rest/client.ts";
import type { ResponseSource } from "../rest/rest-response.ts";

export type NotedCall = {
  /** The `operationId`. */
  readonly operation: string;
  readonly method: string;
  /** The path template of the OpenAPI document. */
  readonly path: string;
  /** Absent when REST sent no response within the bounds. */
  readonly status?: number;
  /** Milliseconds from the request's first call to the beginning of this one. */
  readonly startMs: number;
  readonly ms: number;
  /** How this request got the response, if it was not fetched for it: shared, cached or revalidated. */
  readonly source?: ResponseSource;
  /** The number of keys in a batched call. */
  readonly keys?: number;
};

export class CallLog {
  readonly calls: NotedCall[] = [];
  /** Identical reads of a request share one response and count as one call. */
  readonly #noted = new WeakSet<object>();
  #began: number | undefined;

  /** Records a call when it succeeds or fails. */
  readonly note: NoteCall = async ({ id }, method, path, query, sent) => {
    const began = performance.now();
    this.#began ??= began;
    const answer = await sent.then(
      ({ response }) => response,
      () => undefined,
    );
    if (answer && this.#noted.has(answer)) return;
    if (answer) this.#noted.add(answer);
    const lengths = Object.values(query ?? {}).map((value) => (Array.isArray(value) ? value.length : 0));
    const keys = Math.max(0, ...lengths);
    this.calls.push({
      operation: id,
      method,
      path,
      ...(answer && { status: answer.status }),
      ...(answer && answer.source !== "fetched" && { source: answer.source }),
      startMs: rounded(began - this.#began),
      ms: rounded(performance.now() - began),
      ...(keys > 0 && { keys }),
    });
  };
}

/** Rounds to tenths of a millisecond. */
const rounded = (ms: number): number => Math.round(ms * 10) / 10;

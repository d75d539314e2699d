/**
 * The REST calls of one GraphQL request, for clients that ask for them with `x-explain-calls`. An entry contains names, times
 * and counts, but no part of a URL, a header or a body.
 */
import {
  type CallRecord,
  type RequestRecord,
  type ResponseSource,
  roundMs,
} from "../observe/request-record.ts";

export type CallEntry = {
  /** The `operationId`. */
  readonly operation: string;
  readonly method: string;
  /** The path template of the OpenAPI document. */
  readonly path: string;
  /** Absent if no complete response arrived. */
  readonly status?: number;
  /** Milliseconds from the start of the request's first call to the start of this call. */
  readonly startMs: number;
  readonly ms: number;
  /** Where the response came from. Absent if the response was fetched for this request. */
  readonly source?: ResponseSource;
  /** The age of a cached response in seconds (RFC 9111 §4.2.3). */
  readonly ageSeconds?: number;
  /** The number of keys in a batched call: the length of the longest list in the query string. */
  readonly keys?: number;
  /** The deferred fragments that need the call, named by their labels or paths. */
  readonly part?: string;
};

/** Collects the calls of `request`. The returned function lists the calls that have ended, in the order of their ends. */
export function collectCalls(request: RequestRecord): () => CallEntry[] {
  const ended: CallRecord[] = [];
  request.ended = ended;
  return () => {
    const began = Math.min(...ended.map(({ beganAt }) => beganAt));
    return ended.map((call) => callEntry(call, began));
  };
}

function callEntry(
  { operation, method, path, query, status, source, ageSeconds, beganAt, ms, part }: CallRecord,
  began: number,
): CallEntry {
  const lengths = Object.values(query ?? {}).map((value) => (Array.isArray(value) ? value.length : 0));
  const keys = Math.max(0, ...lengths);
  return {
    operation: operation.id,
    method,
    path,
    ...(status > 0 && { status }),
    ...(source !== "fetched" && { source }),
    ...(ageSeconds !== undefined && { ageSeconds: roundMs(ageSeconds) }),
    startMs: roundMs(beganAt - began),
    ms: roundMs(ms),
    ...(keys > 0 && { keys }),
    ...(part !== undefined && { part }),
  };
}

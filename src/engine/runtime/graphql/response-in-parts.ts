/**
 * Incremental delivery: formats the payloads of a response in parts, and sends them as `multipart/mixed`. Supports the format of
 * graphql-js 17 (`pending`, `incremental`, `completed`) and the format of 2022-08-24.
 */
import { Readable } from "node:stream";
import { type GraphQLResponse, HeaderMap } from "@apollo/server";
import type { FastifyReply } from "fastify";
import type { PartFormat } from "../http/graphql-media-type.ts";
import type { RequestScope } from "../rest/request-scope.ts";
import { largeAnswers } from "../settings/capacity.ts";
import type { Admission } from "./admission.ts";
import type { CallEntry } from "./call-log.ts";
import { type FieldError, type Path, pathKeys } from "./errors/field-error.ts";
import { logAndMask } from "./errors/response-errors.ts";
import { withRequestId } from "./graphql-over-http.ts";
import type { Deferral, Fragment, Part, Payload } from "./plan/deferral.ts";
import { deferredKey, type ResultMap, toError } from "./plan/plan.ts";
import { ResponseTooLarge } from "./plan/response-budget.ts";
import type { RequestContext } from "./request-context.ts";
import { noteError } from "./send-response.ts";

export type BodyInParts = Extract<GraphQLResponse["body"], { kind: "incremental" }>;

/** Creates the response to an operation with deferred parts, in the format `context.partFormat`. */
export function responseInParts(
  context: RequestContext,
  data: ResultMap,
  errors: readonly FieldError[],
  later: Deferral,
): GraphQLResponse {
  const http = { status: undefined, headers: new HeaderMap() };
  const first = { ...errorsMember(context, errors), data, hasNext: true };
  if (context.partFormat === "20220824") {
    const subsequentResults = resultsOf(context, later, payloadOf2022);
    return { http, body: { kind: "incremental", initialResult: first, subsequentResults } };
  }
  const initialResult = { ...first, pending: later.first.map(pendingEntry) };
  const subsequentResults = resultsOf(context, later, payloadOf17);
  return { http, body: { kind: "incremental", initialResult, subsequentResults } };
}

/** Yields the formatted payloads. In place of one that cannot be formatted or sent (`throw`), yields a last payload. */
async function* resultsOf<Result>(
  context: RequestContext,
  later: Deferral,
  formatted: (context: RequestContext, payload: Payload) => Result,
): AsyncGenerator<Result> {
  for await (const payload of later.payloads())
    try {
      yield formatted(context, payload);
    } catch (error) {
      yield formatted(context, later.failed(payload, toError(error)));
      return;
    }
}

function errorsMember(context: RequestContext, errors: readonly FieldError[]) {
  if (errors.length === 0) return {};
  const quoted = logAndMask(context, errors).map((error) => withRequestId(error, context.requestId));
  if (context.record) noteError(context.record, quoted[0]);
  return { errors: quoted };
}

const labelMember = ({ label }: Fragment) => (label === undefined ? {} : { label });

const pendingEntry = (fragment: Fragment) => ({
  id: fragment.id,
  path: pathKeys(fragment.path),
  ...labelMember(fragment),
});

const dataOf = ({ wrapper }: Part): ResultMap => wrapper[deferredKey] as ResultMap;

/** Formats a payload as graphql-js 17 does: each field is sent once, and a fragment fails as a whole. */
const payloadOf17 = (context: RequestContext, { pending, parts, completed, hasNext }: Payload) => ({
  ...(pending.length > 0 && { pending: pending.map(pendingEntry) }),
  ...(parts.length > 0 && {
    incremental: parts.map(({ part, fragment }) => ({
      ...errorsMember(context, part.errors),
      data: dataOf(part),
      id: fragment.id,
      ...subPath(part.path, fragment.path),
    })),
  }),
  completed: completed.map(({ fragment, errors }) => ({
    id: fragment.id,
    ...errorsMember(context, errors),
  })),
  hasNext,
});

function subPath(path: Path | undefined, of: Path | undefined) {
  const rest = pathKeys(path).slice(pathKeys(of).length);
  return rest.length > 0 ? { subPath: rest } : {};
}

/** Formats a payload as of 2022-08-24: each fragment contains all its fields, or null if it has failed. */
const payloadOf2022 = (context: RequestContext, { completed, hasNext }: Payload) => ({
  incremental: completed.map(({ fragment, errors }) => {
    const part = fragment.parts[0] as Part;
    return {
      ...errorsMember(context, errors.length > 0 ? errors : part.errors),
      data: errors.length > 0 ? null : dataOf(part),
      path: pathKeys(fragment.path),
      ...labelMember(fragment),
    };
  }),
  hasNext,
});

const contentTypes: Readonly<Record<PartFormat, string>> = {
  "v0.2": 'multipart/mixed; boundary="-"; incrementalSpec=v0.2',
  "20220824": 'multipart/mixed; boundary="-"; deferSpec=20220824',
};

/**
 * Sends a response in parts (RFC 2046 §5.1.3). A part is serialized after the client has read the previous one. Resolves when the
 * client has read the response or disconnected. `limit` is the maximum number of bytes of all parts together. Throws if the first
 * part exceeds the limit. If a later part exceeds the limit, errors are sent in its place, and the response ends. The last part
 * contains the REST calls (`calls`) in its extensions.
 */
export async function sendParts(
  reply: FastifyReply,
  { initialResult, subsequentResults }: BodyInParts,
  {
    format,
    limit,
    scope,
    admission,
    calls,
  }: {
    format: PartFormat;
    limit: number;
    scope: RequestScope;
    admission: Admission;
    calls: (() => readonly CallEntry[]) | undefined;
  },
): Promise<void> {
  const { raw } = reply;
  if (raw.destroyed) return;
  let left = limit;
  const textOf = (result: object): string => {
    const text = JSON.stringify(result);
    scope.chargeText(text);
    const bytes = Buffer.byteLength(text);
    left -= bytes;
    if (left < 0) throw new ResponseTooLarge(limit);
    if (bytes >= largeAnswers.from) admission.holdUnread(bytes);
    return text;
  };
  const first = textOf(initialResult);
  const results = subsequentResults[Symbol.asyncIterator]();
  async function* texts(): AsyncGenerator<string> {
    yield `\r\n---${framed(first, true)}`;
    for (let next = await results.next(); !next.done; next = await results.next()) {
      let text: string;
      try {
        const { value } = next;
        text = textOf(calls && !value.hasNext ? { ...value, extensions: { calls: calls() } } : value);
      } catch (error) {
        const last = await results.throw?.(error);
        if (last && !last.done) yield framed(JSON.stringify(last.value), false);
        return;
      }
      yield framed(text, next.value.hasNext);
    }
  }
  const closed = new Promise<void>((resolve) => raw.once("close", resolve));
  reply
    .header("cache-control", "private, no-store")
    .header("content-type", contentTypes[format])
    .send(Readable.from(texts(), { objectMode: false, highWaterMark: 1 }));
  await closed;
}

/** Returns a part and the delimiter that follows it, so that the client can process the part before the next one arrives. */
const framed = (text: string, hasNext: boolean): string =>
  `\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${text}\r\n---${hasNext ? "" : "--\r\n"}`;

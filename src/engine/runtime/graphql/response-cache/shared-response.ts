/** The answer to a request, as identical requests of its caller get it too. */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { addVary } from "../../http/vary.ts";
import type { RequestRecord } from "../../observe/request-record.ts";
import { neverStored } from "../../rest/rest-response.ts";
import { isWithoutErrors, type Responses, responseList } from "../send-response.ts";

/** Bytes of a kept answer beside its text. */
const overhead = 1_000;

export class SharedResponse {
  readonly text: string;
  /** The responses, if one has an error: each error names the request's id, so the text is for this request only. */
  readonly failed: Responses | undefined;
  /** Until when it may be used again, on the clock of `performance.now`. `neverStored`: it must not be stored. */
  readonly freshUntil: number;
  /** Its own headers. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly #noted: Pick<
    RequestRecord,
    | "operation"
    | "operationType"
    | "document"
    | "furtherDocuments"
    | "givenName"
    | "askedId"
    | "text"
    | "failures"
  >;
  #tag: string | undefined;

  constructor(given: Responses, text: string, freshUntil: number, record: RequestRecord) {
    this.text = text;
    this.headers = responseList(given).flatMap(({ http }) => [...http.headers]);
    this.failed = isWithoutErrors(given) ? undefined : given;
    this.freshUntil = this.failed ? neverStored : freshUntil;
    const { operation, operationType, document, furtherDocuments, givenName, askedId, failures } = record;
    const givenText = this.failed && record.text;
    const ran = { operation, operationType, document, furtherDocuments };
    this.#noted = { ...ran, givenName, askedId, text: givenText, failures };
  }

  /** Notes on the record of another request what was noted on that of this one. */
  noteOn(record: RequestRecord): void {
    Object.assign(record, this.#noted);
  }

  /** Bytes of memory, about. */
  get size(): number {
    return 2 * this.text.length + overhead;
  }

  /** Whole seconds for which it may be used again. */
  get freshSeconds(): number {
    return Math.max(Math.floor((this.freshUntil - performance.now()) / 1_000), 0);
  }

  /** `Cache-Control` for its client: the strictest of the responses that it is made of. */
  get cacheControl(): string {
    const { freshSeconds } = this;
    if (freshSeconds > 0) return `private, max-age=${freshSeconds}`;
    return this.freshUntil === neverStored ? "private, no-store" : "private, no-cache";
  }

  /** Its entity tag (RFC 9110 §8.8.3). It is weak, because a response may be compressed. */
  get tag(): string {
    this.#tag ??= `W/"${hash("sha256", this.text, "base64url")}"`;
    return this.#tag;
  }
}

/**
 * Lets a client keep the response to a query by GET (RFC 9111), as REST allows to keep each response that it is made of.
 * Without an error, the response has an `ETag`, and a client that has it already gets a 304 (RFC 9110 §13.1.2). Sets the
 * headers. Returns whether the client has the answer already. `credentials` names the headers that carry credentials.
 */
export function setClientCaching(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { tag, cacheControl }: SharedResponse,
  credentials: readonly string[],
): boolean {
  addVary(reply, "accept", "accept-language", ...credentials);
  reply.header("etag", tag).header("cache-control", cacheControl);
  return isIn(headers["if-none-match"] ?? "", tag);
}

/** The weak comparison (RFC 9110 §8.8.3.2) with each tag of a list. A tag holds no quote, so it is found by its text. */
const isIn = (list: string, tag: string): boolean =>
  list.trim() === "*" || list.includes(tag.replace(/^W\//, ""));

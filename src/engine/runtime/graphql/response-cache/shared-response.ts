/** The response to a request, which identical requests of the same caller get too. */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { addVary } from "../../http/vary.ts";
import type { RequestRecord } from "../../observe/request-record.ts";
import { neverStored } from "../../rest/rest-response.ts";
import { isWithoutErrors, type Responses, responseList } from "../send-response.ts";

/** Bytes of a cached response in addition to its text. */
const overhead = 1_000;

export class SharedResponse {
  readonly text: string;
  /** The responses, if one of them has an error. Each error contains the request's id, so `text` is for this request only. */
  readonly failed: Responses | undefined;
  /**
   * The time until which the response may be reused, on the clock of `performance.now`; `neverStored` if it must not be stored.
   */
  readonly freshUntil: number;
  /** The headers that the execution has set. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly #noted: Pick<
    RequestRecord,
    | "operation"
    | "operationType"
    | "document"
    | "furtherDocuments"
    | "operationName"
    | "documentId"
    | "text"
    | "failures"
  >;
  #tag: string | undefined;

  constructor(given: Responses, text: string, freshUntil: number, record: RequestRecord) {
    this.text = text;
    this.headers = responseList(given).flatMap(({ http }) => [...http.headers]);
    this.failed = isWithoutErrors(given) ? undefined : given;
    this.freshUntil = this.failed ? neverStored : freshUntil;
    const { operation, operationType, document, furtherDocuments, operationName, documentId, failures } =
      record;
    const givenText = this.failed && record.text;
    const ran = { operation, operationType, document, furtherDocuments };
    this.#noted = { ...ran, operationName, documentId, text: givenText, failures };
  }

  /** Copies the data that the execution added to its request's record to the record of another request. */
  noteOn(record: RequestRecord): void {
    Object.assign(record, this.#noted);
  }

  /** Approximate bytes of memory. */
  get size(): number {
    return 2 * this.text.length + overhead;
  }

  /** Whole seconds for which the response may be reused. */
  get freshSeconds(): number {
    return Math.max(Math.floor((this.freshUntil - performance.now()) / 1_000), 0);
  }

  /** `Cache-Control` for the client: the strictest of the REST responses that the response was built from. */
  get cacheControl(): string {
    const { freshSeconds } = this;
    if (freshSeconds > 0) return `private, max-age=${freshSeconds}`;
    return this.freshUntil === neverStored ? "private, no-store" : "private, no-cache";
  }

  /** The entity tag (RFC 9110 §8.8.3). It is weak, because a response may be compressed. */
  get tag(): string {
    this.#tag ??= `W/"${hash("sha256", this.text, "base64url")}"`;
    return this.#tag;
  }
}

/**
 * Sets the headers that let a client cache the response to a query by GET (RFC 9111), for as long as REST permits caching the
 * REST responses that it was built from. A response without errors has an `ETag`, and a client that already has it gets a 304
 * (RFC 9110 §13.1.2). Returns whether the client already has the response. `credentials` names the headers that carry
 * credentials.
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

/** The weak comparison (RFC 9110 §8.8.3.2) with each tag of a list. A tag contains no quote, so a substring search finds it. */
const isIn = (list: string, tag: string): boolean =>
  list.trim() === "*" || list.includes(tag.replace(/^W\//, ""));

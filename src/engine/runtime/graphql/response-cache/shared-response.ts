/** A response that identical requests of the same caller can share. */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { addVary } from "../../http/vary.ts";
import type { RequestRecord } from "../../observe/request-record.ts";
import { neverStored } from "../../rest/rest-response.ts";
import { isWithoutErrors, type Responses, responseList } from "../send-response.ts";

/** Estimated bytes of a cached response in addition to its text. */
const overhead = 1_000;

export class SharedResponse {
  readonly text: string;
  /** Set if a response has an error. Errors contain the id of this request, so other requests must not get `text`. */
  readonly failed: Responses | undefined;
  /** Until when the response may be reused, on the clock of `performance.now`; `neverStored` if it must not be stored. */
  readonly freshUntil: number;
  /** Response headers that were set by the execution. Other requests get them too. */
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

  /** Copies what the execution recorded about the operation to the record of another request. */
  noteOn(record: RequestRecord): void {
    Object.assign(record, this.#noted);
  }

  /** Approximate bytes of memory. */
  get size(): number {
    return 2 * this.text.length + overhead;
  }

  /** For how many whole seconds the response may be reused. */
  get freshSeconds(): number {
    return Math.max(Math.floor((this.freshUntil - performance.now()) / 1_000), 0);
  }

  /** `Cache-Control` for the client, as strict as that of the strictest REST response used. */
  get cacheControl(): string {
    const { freshSeconds } = this;
    if (freshSeconds > 0) return `private, max-age=${freshSeconds}`;
    return this.freshUntil === neverStored ? "private, no-store" : "private, no-cache";
  }

  /** The entity tag (RFC 9110 §8.8.3), which is weak because a response may be compressed. */
  get tag(): string {
    this.#tag ??= `W/"${hash("sha256", this.text, "base64url")}"`;
    return this.#tag;
  }
}

/**
 * Sets the headers that let clients cache the response to a query by GET (RFC 9111), for as long as REST allows caching the
 * REST responses behind it. Returns whether the client already has the response and gets a 304 (RFC 9110 §13.1.2). `credentials`
 * names the headers that carry credentials.
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

/** The weak comparison (RFC 9110 §8.8.3.2) with each tag of a list. A substring search suffices: tags contain no quotes. */
const isIn = (list: string, tag: string): boolean =>
  list.trim() === "*" || list.includes(tag.replace(/^W\//, ""));

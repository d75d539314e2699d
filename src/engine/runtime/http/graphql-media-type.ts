/** Content negotiation: the media types of a GraphQL response (GraphQL over HTTP §6.1), or an HTML page. */
import Negotiator from "negotiator";

export const json = "application/json; charset=utf-8";
const mediaTypes = [json, "application/graphql-response+json; charset=utf-8"];

/** A longer `Accept` is ignored, as RFC 9110 §12.5.1 allows: parsing 16 kB takes longer than an entire request. */
const maxLength = 1_024;

/** The media type that the client prefers; `undefined` if it accepts none. */
export const mediaTypeFor = (accept: string | undefined, types = mediaTypes): string | undefined =>
  accept === undefined || accept === "application/json" || accept === "*/*" || accept.length > maxLength
    ? json
    : new Negotiator({ headers: { accept } }).mediaType(types);

/** Whether a client accepts JSON (RFC 9110 §12.5.1). */
export const acceptsJson = (accept: string | undefined): boolean =>
  mediaTypeFor(accept, [json]) !== undefined;

/** Whether a client requests HTML, as browsers do. */
export const wantsHtml = (accept = ""): boolean => /\btext\/html\b/i.test(accept);

/**
 * The formats of incremental delivery: the format of graphql-js 17, in which a field is sent once, and the format of 2022-08-24,
 * in which each deferred fragment is sent with all its fields.
 */
export type PartFormat = "v0.2" | "20220824";

/** The format for clients that accept `multipart/mixed` without naming a format. */
const defaultFormat: PartFormat = "20220824";

/** The formats as parameters of `multipart/mixed`, the default first. */
const partTypes = {
  "multipart/mixed;deferSpec=20220824": defaultFormat,
  "multipart/mixed;incrementalSpec=v0.2": "v0.2",
} as const satisfies Record<string, PartFormat>;

/**
 * Returns the format that the client prefers for a response in parts; `undefined` if it does not offer `multipart/mixed`. The
 * rank of `multipart/mixed` is ignored, because clients that offer it rank it after JSON. A wildcard does not count as an offer.
 */
export function partFormatFor(accept: string | undefined): PartFormat | undefined {
  if (accept === undefined || accept.length > maxLength || !/\bmultipart\/mixed\b/i.test(accept))
    return undefined;
  const offered = accept.split(",").filter((range) => /^\s*multipart\/mixed\b/i.test(range));
  if (offered.length === 1 && offered[0]?.trim() === "multipart/mixed") return defaultFormat; // urql, in each request
  const type = new Negotiator({ headers: { accept: offered.join() } }).mediaType(Object.keys(partTypes));
  return partTypes[type as keyof typeof partTypes];
}

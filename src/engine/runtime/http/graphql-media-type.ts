/** Negotiates the media type of a GraphQL response (GraphQL over HTTP §6.1) or an HTML page. */
import Negotiator from "negotiator";

export const json = "application/json; charset=utf-8";
const mediaTypes = [json, "application/graphql-response+json; charset=utf-8"];

/** A longer `Accept` is ignored, as RFC 9110 §12.5.1 allows, because parsing 16 kB takes longer than an entire request. */
const maxLength = 1_024;

/** Returns the media type that the client prefers; `undefined` if it accepts none. */
export const mediaTypeFor = (accept: string | undefined, types = mediaTypes): string | undefined =>
  accept === undefined || accept === "application/json" || accept === "*/*" || accept.length > maxLength
    ? json
    : new Negotiator({ headers: { accept } }).mediaType(types);

export const acceptsJson = (accept: string | undefined): boolean =>
  mediaTypeFor(accept, [json]) !== undefined;

/** Whether a client asks for HTML, as browsers do. */
export const wantsHtml = (accept = ""): boolean => /\btext\/html\b/i.test(accept);

/** The formats of incremental delivery: `v0.2` (graphql-js 17) sends each field once, `20220824` repeats fields in fragments. */
export type PartFormat = "v0.2" | "20220824";

/** The format for clients that accept `multipart/mixed` without a format parameter. */
const defaultFormat: PartFormat = "20220824";

/** The media type of each format, the default first. */
const partTypes = {
  "multipart/mixed;deferSpec=20220824": defaultFormat,
  "multipart/mixed;incrementalSpec=v0.2": "v0.2",
} as const satisfies Record<string, PartFormat>;

/**
 * Returns the format that the client prefers for a response in parts; `undefined` if `Accept` does not name `multipart/mixed`. A
 * wildcard is not sufficient. Its rank is ignored, because clients rank it after JSON.
 */
export function partFormatFor(accept: string | undefined): PartFormat | undefined {
  if (accept === undefined || accept.length > maxLength || !/\bmultipart\/mixed\b/i.test(accept))
    return undefined;
  const offered = accept.split(",").filter((range) => /^\s*multipart\/mixed\b/i.test(range));
  if (offered.length === 1 && offered[0]?.trim() === "multipart/mixed") return defaultFormat; // sent by urql in each request
  const type = new Negotiator({ headers: { accept: offered.join() } }).mediaType(Object.keys(partTypes));
  return partTypes[type as keyof typeof partTypes];
}

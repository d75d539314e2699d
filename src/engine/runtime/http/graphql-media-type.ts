/** Content negotiation: the media types of a GraphQL response (GraphQL over HTTP §6.1), or an HTML page. */
import Negotiator from "negotiator";

export const json = "application/json; charset=utf-8";
const mediaTypes = [json, "application/graphql-response+json; charset=utf-8"];

/** A longer `Accept` is ignored, as RFC 9110 §12.5.1 allows: parsing 16 kB takes longer than a whole request. */
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

/** The media types of a GraphQL response (GraphQL over HTTP §6.1), and what a client accepts: one of them, or a page. */
import Negotiator from "negotiator";

export const json = "application/json; charset=utf-8";
const mediaTypes = [json, "application/graphql-response+json; charset=utf-8"];

/** A longer `Accept` is disregarded, as RFC 9110 §12.5.1 allows: to read 16 kB of it takes longer than a request. */
const mostCharacters = 1_024;

/** The media type that suits a client best; `undefined` when it accepts none. */
export const mediaTypeFor = (accept: string | undefined, types = mediaTypes): string | undefined =>
  accept === undefined || accept === "application/json" || accept === "*/*" || accept.length > mostCharacters
    ? json
    : new Negotiator({ headers: { accept } }).mediaType(types);

/** Whether a client takes JSON (RFC 9110 §12.5.1). */
export const acceptsJson = (accept: string | undefined): boolean =>
  mediaTypeFor(accept, [json]) !== undefined;

/** Whether a client asks for a page, as browsers do. */
export const wantsHtml = (accept = ""): boolean => /\btext\/html\b/i.test(accept);

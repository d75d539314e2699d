/**
 * Detects queries by GET that another site may have made a browser send (CSRF). Before a browser sends a header that a script has
 * set to another origin, it sends a preflight (Fetch §4.8, CORS preflight). Credentials are sent only in headers that scripts
 * set: `X-API-Key`, `Authorization: Bearer`, or the headers that the OpenAPI document declares; never in a cookie. A request
 * without a preflight therefore contains no valid credential. It could still cost time, and the other site could measure its
 * duration. Apollo Server refuses every GET that has none of the headers in its list, even the requests that urql sends by
 * default. This check refuses only requests of browsers (`Sec-Fetch-Site`, `Origin`), and only those without a header that needs
 * a preflight.
 */
import type { IncomingHttpHeaders } from "node:http";
import { own } from "../../shared/own.ts";
import { CodedError } from "../coded-error.ts";

/**
 * Apollo's clients send `x-apollo-operation-name`. Apollo's documentation recommends `apollo-require-preflight` to other clients.
 */
const preflighted = ["x-api-key", "x-apollo-operation-name", "apollo-require-preflight"];
/** Counts only with the scheme Bearer, because a browser adds Basic credentials by itself. */
const decidedByScheme = "authorization";

/** The content types that need no preflight (Fetch §2.2.2, CORS-safelisted request headers). */
const simpleType = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i;

/**
 * Returns the error for a GET that a page of another origin may have caused; `undefined` for any other GET. `credentials` names
 * the headers that carry credentials.
 */
export function csrfError(
  headers: IncomingHttpHeaders,
  credentials: readonly string[],
): CodedError | undefined {
  const { "sec-fetch-site": site, origin, authorization = "", "content-type": type } = headers;
  const isForeign = site === undefined ? origin !== undefined : site !== "same-origin" && site !== "none";
  if (
    !isForeign ||
    [...preflighted, ...credentials].some((name) => name !== decidedByScheme && own(headers, name))
  )
    return undefined;
  if (/^Bearer /i.test(authorization) || (type !== undefined && !simpleType.test(type))) return undefined;
  return new CodedError(
    "BAD_REQUEST",
    "a query by GET from a page of another origin needs a header that asks for a preflight: X-API-Key, Authorization: Bearer or Apollo-Require-Preflight",
  );
}

/**
 * Detects cross-site request forgery (CSRF): GraphQL queries by GET, sent by a browser for a page of another site. A browser
 * sends a preflight before a request to another origin if a script has set a header (Fetch §4.8, CORS preflight). Credentials are
 * accepted only in headers that scripts set (`X-API-Key`, `Authorization: Bearer`, or the headers that the OpenAPI document
 * declares), never in a cookie. A request without a preflight therefore contains no valid credential. But its execution would
 * cost time, and the other site could measure it.
 *
 * Apollo Server refuses every GET without a header from Apollo's list, even the default requests of urql, a GraphQL client. This
 * check refuses only browser requests (`Sec-Fetch-Site`, `Origin`) without a header that needs a preflight.
 */
import type { IncomingHttpHeaders } from "node:http";
import { own } from "../../shared/own.ts";
import { CodedError } from "../coded-error.ts";

/**
 * Headers that need a preflight. Apollo's clients send `x-apollo-operation-name`. Apollo's documentation recommends
 * `apollo-require-preflight` to other clients.
 */
const preflighted = ["x-api-key", "x-apollo-operation-name", "apollo-require-preflight"];
/** This header proves a preflight only if its scheme is Bearer, because browsers add Basic credentials by themselves. */
const decidedByScheme = "authorization";

/** Content types that need no preflight (Fetch §2.2.2, CORS-safelisted request headers). */
const simpleType = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i;

/**
 * Returns the error for a GET that a page of another origin may have caused. `credentials` names the headers with credentials.
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

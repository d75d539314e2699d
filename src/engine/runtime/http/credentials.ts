/**
 * Reads the API key of a request from `X-API-Key` or `Authorization: Bearer` (RFC 6750 §2.1). A request may contain both headers,
 * with the same key. Headers that two servers could interpret differently are rejected. Repeated headers are found in the raw
 * headers, because Node joins or drops repeated fields. A key in the URL is ignored.
 */
import { CodedError, type CredentialFailure } from "../coded-error.ts";

/** Names of the headers that may contain a key. */
export const keyHeaders: readonly string[] = ["x-api-key", "authorization"];

/** Returns the unverified key; `undefined` if there is none. Throws `BAD_REQUEST` for repeated or contradictory headers. */
export function readKey(rawHeaders: readonly string[]): string | undefined {
  const apiKey = only(rawHeaders, "x-api-key");
  const authorization = only(rawHeaders, "authorization");
  const bearer = authorization === undefined ? undefined : bearerToken(authorization);
  if (apiKey !== undefined && authorization !== undefined && apiKey !== bearer) {
    throw new CodedError("BAD_REQUEST", "X-API-Key and Authorization contradict each other");
  }
  return apiKey ?? bearer;
}

/**
 * The error for missing or invalid credentials. All roles use the same error. `headers` are the names of the headers that may
 * contain credentials. If the only header is `Authorization`, the message does not mention API keys.
 */
export function unauthenticated(
  fault: CredentialFailure,
  headers: readonly string[] = keyHeaders,
  cause?: unknown,
): CodedError {
  const where = headers.length > 0 ? `, in the header ${headers.join(" or ")}` : "";
  const isKey = headers.some((name) => name !== "authorization");
  const [needed, wrong] = isKey
    ? ["an API key is needed", "the API key is not valid"]
    : ["credentials are needed", "the credentials are not valid"];
  return new CodedError(
    "UNAUTHENTICATED",
    fault === "no_key" ? `${needed}${where}` : fault === "refused_token" ? wrongToken : wrong,
    {},
    { cause, reason: fault },
  );
}

const wrongToken = "the access token is not valid";

/** Throws `BAD_REQUEST` if the header is repeated. */
function only(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== name) continue;
    if (found !== undefined) throw new CodedError("BAD_REQUEST", `${name} was sent more than once`);
    found = rawHeaders[at + 1] ?? "";
  }
  return found;
}

/** Returns an empty key if the scheme is not Bearer. An empty key is never valid, and contradicts a key in `X-API-Key`. */
const bearerToken = (authorization: string): string => /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";

/**
 * Reads the API key of a request: `X-API-Key` or `Authorization: Bearer` (RFC 6750 §2.1). It reads the raw header list,
 * because Node joins or drops repeated fields. Both headers may be given with the same key. Headers that two servers could
 * read differently are refused. A key in the URL is no credential.
 */
import { CodedError, type CredentialFailure } from "../coded-error.ts";

/** The headers that bring a key, in lower case. */
export const keyHeaders: readonly string[] = ["x-api-key", "authorization"];

/** Returns the key, unverified, or `undefined` when there is none. Throws `BAD_REQUEST` for repeated or conflicting ones. */
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
 * The error for missing or wrong credentials, the same on every role. `headers` names the headers that carry them, in lower
 * case. `Authorization` alone may carry others than API keys.
 */
export function unauthenticated(
  fault: CredentialFailure,
  headers: readonly string[] = keyHeaders,
): CodedError {
  const where = headers.length > 0 ? `, in the header ${headers.join(" or ")}` : "";
  const isKey = headers.some((name) => name !== "authorization");
  const [needed, wrong] = isKey
    ? ["an API key is needed", "the API key is not valid"]
    : ["credentials are needed", "the credentials are not valid"];
  return new CodedError(
    "UNAUTHENTICATED",
    fault === "no_key" ? `${needed}${where}` : wrong,
    {},
    undefined,
    fault,
  );
}

/** The only value of a header. Throws `BAD_REQUEST` when it comes twice. */
function only(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== name) continue;
    if (found !== undefined) throw new CodedError("BAD_REQUEST", `${name} is given more than once`);
    found = rawHeaders[at + 1] ?? "";
  }
  return found;
}

/** Credentials of another scheme count as an empty key: it is never valid, and it conflicts with a valid one. */
const bearerToken = (authorization: string): string => /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";

/**
 * Reads the caller's API key out of a request: `X-API-Key` or `Authorization: Bearer` (RFC 6750 §2.1). The raw
 * header list is what counts, because Node joins or drops repeated fields. Both at once are fine when they say the
 * same; anything that two servers could read in two ways is refused. A key in the URL is no credential.
 */
import { CodedError } from "../errors.ts";

/** The headers that credentials come in; no others travel to REST as credentials. */
export const credentialHeaders = ["X-API-Key", "Authorization"] as const;

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

/** Another scheme's credentials count as a key that nobody has: they are never good, and they conflict with a good one. */
const bearerToken = (authorization: string): string => /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";

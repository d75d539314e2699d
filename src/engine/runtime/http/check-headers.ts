/**
 * Checks the raw headers of a request: a limited number of fields, exactly one `Host` in HTTP/1.1 (RFC 9112 §3.2), and no
 * transfer coding except `chunked` (in HTTP/1.0: none at all, §6.1). Node is more lenient: it drops surplus fields, uses the
 * first `Host`, and accepts `identity` and transfer codings in HTTP/1.0.
 */
import type { IncomingMessage } from "node:http";
import { CodedError, limitExceeded } from "../coded-error.ts";

type HeaderSection = Pick<IncomingMessage, "rawHeaders" | "httpVersion">;

export function checkHeaders(
  { rawHeaders, httpVersion }: HeaderSection,
  max: number,
): CodedError | undefined {
  if (rawHeaders.length / 2 > max) return limitExceeded("MAX_HEADERS", max, "too many request headers");
  let hosts = 0;
  const codings: (string | undefined)[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const { length } = rawHeaders[at] as string;
    if (length === 4 && rawHeaders[at]?.toLowerCase() === "host") hosts++;
    if (length === 17 && rawHeaders[at]?.toLowerCase() === "transfer-encoding")
      codings.push(rawHeaders[at + 1]);
  }
  if (codings.length > 1 || (codings.length === 1 && codings[0]?.toLowerCase() !== "chunked"))
    return new CodedError("BAD_REQUEST", "the only supported transfer coding is chunked");
  if (codings.length > 0 && httpVersion === "1.0")
    return new CodedError("BAD_REQUEST", "HTTP/1.0 does not support transfer codings");
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) {
    return new CodedError("BAD_REQUEST", "a request must have exactly one Host header");
  }
  return undefined;
}

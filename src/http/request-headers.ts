/**
 * What every role demands of a request's header section, looked at as it came over the wire: not too many fields,
 * and exactly one `Host` from HTTP/1.1 on (RFC 9112 §3.2). Node itself would cut silently and take the first.
 */
import type { IncomingMessage } from "node:http";
import { CodedError, overLimit } from "../errors.ts";

type HeaderSection = Pick<IncomingMessage, "rawHeaders" | "httpVersion">;

/** LIMIT_EXCEEDED or BAD_REQUEST; `undefined` for a header section that is fine. */
export function headerFault({ rawHeaders, httpVersion }: HeaderSection, max: number): CodedError | undefined {
  if (rawHeaders.length / 2 > max) return overLimit("MAX_HEADERS", max, "too many request headers");
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === "host") hosts++;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) {
    return new CodedError("BAD_REQUEST", "a request has exactly one Host header");
  }
  return undefined;
}

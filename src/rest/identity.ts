/** All that REST can tell callers apart by. */

/** The headers of a request that travel on to REST, and the caller that the request belongs to. */
export type Forwarded = { readonly headers: Readonly<Record<string, string>>; readonly caller: string };

/** Headers that differ from request to request, whoever the caller is: the request's id, and its trace (W3C Trace Context). */
export const headersOfOneRequest: ReadonlySet<string> = new Set([
  "x-request-id",
  "traceparent",
  "tracestate",
]);

/** The headers but those of one request alone, as text. No value has a line break, so different headers have different texts. */
export function identityOf(headers: Readonly<Record<string, string>>): string {
  let identity = "";
  for (const name in headers) if (!headersOfOneRequest.has(name)) identity += `${name}: ${headers[name]}\n`;
  return identity;
}

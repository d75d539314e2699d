/** Reads from a `Link` header (RFC 8288) what the next page is asked for with. */
import LinkHeader from "http-link-header";
import { CodedError } from "../errors.ts";

/**
 * The value of the query parameter `name` in the address with the relation `next`; empty without such an address. The
 * address itself is never called.
 */
export function nextOf(header: string | string[] | undefined, name: string): string {
  if (header === undefined) return "";
  const address = addressOf([header].flat().join(", "));
  if (address === undefined) return "";
  const value = address.searchParams.get(name) ?? "";
  if (value === "") throw new CodedError("BAD_UPSTREAM_RESPONSE", `the next page's link has no "${name}"`);
  return value;
}

/** It may be relative to the page's own (RFC 8288 §3.1), and of either only the query counts. */
function addressOf(header: string): URL | undefined {
  try {
    const [next] = LinkHeader.parse(header).rel("next");
    return next && new URL(next.uri, "http://localhost");
  } catch (cause) {
    throw new CodedError("BAD_UPSTREAM_RESPONSE", "the Link header cannot be read", {}, cause);
  }
}

/**
 * The address that limits count by. An IPv6 client owns a block of 64 bits (RFC 6177 §2), so its address is cut to that
 * block. An IPv4 address, mapped or not, stays whole.
 */
import { isIPv6 } from "node:net";

/** An address with the port that some proxies add in `X-Forwarded-For`: each connection would be another client. */
const withPort = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]+)\])(?::\d+)?$/;

/** The address without a port, or the first four groups of an IPv6 one. */
export function addressBlock(given: string): string {
  const [, v4, v6] = withPort.exec(given) ?? [];
  const address = v4 ?? v6 ?? given;
  if (!isIPv6(address) || address.includes(".")) return address;
  const [head = ""] = address.split("::");
  const groups = head.split(":");
  return [0, 1, 2, 3].map((at) => groups[at] || "0").join(":");
}

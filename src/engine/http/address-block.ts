/**
 * The address that limits count by. An IPv6 client owns a block of 64 bits (RFC 6177 §2), so its address is cut to that
 * block. An IPv4 address, mapped or not, stays whole.
 */
import { isIPv6 } from "node:net";

/** The address, or the first four groups of an IPv6 one. */
export function addressBlock(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address;
  const [head = ""] = address.split("::");
  const groups = head.split(":");
  return [0, 1, 2, 3].map((at) => groups[at] || "0").join(":");
}

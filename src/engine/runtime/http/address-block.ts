/**
 * The address by which limits count clients. An IPv6 client usually has a /64 block (RFC 6177 §2), so its address is truncated to
 * the block. IPv4 addresses, including those mapped to IPv6, are not truncated.
 */
import { isIPv6 } from "node:net";

/**
 * Some proxies add the port in `X-Forwarded-For`. The port is removed, because each connection of a client has a different port.
 */
const withPort = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([^\]]+)\])(?::\d+)?$/;

/** `192.0.2.1:80` → `192.0.2.1`, `2001:db8::1` → `2001:db8:0:0` */
export function addressBlock(given: string): string {
  const [, v4, v6] = withPort.exec(given) ?? [];
  const address = v4 ?? v6 ?? given;
  if (!isIPv6(address) || address.includes(".")) return address;
  const [head = ""] = address.split("::");
  const groups = head.split(":");
  return [0, 1, 2, 3].map((at) => groups[at] || "0").join(":");
}

/** What callers may keep of responses to reads (RFC 9111). Each response has an `ETag`. */
import { hash } from "node:crypto";
import type { OperationInput } from "./contract.ts";

const seconds = { profile: 10, pastDays: 300 };
const revalidate = "private, no-cache";

/** `Cache-Control` of the response to a read. Today's metrics still change, and those of the past do not. */
export function cacheControl(operation: string, { query }: Pick<OperationInput, "query">): string {
  if (operation === "getMe") return `private, max-age=${seconds.profile}`;
  const today = new Date().toISOString().slice(0, 10);
  const isPast = operation === "getMetrics" && typeof query.to === "string" && query.to < today;
  return isPast ? `private, max-age=${seconds.pastDays}` : revalidate;
}

/** The `ETag` of a response's body. */
export const tagOf = (body: unknown): string => `"${hash("sha256", JSON.stringify(body), "base64url")}"`;

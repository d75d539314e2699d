/** Extends the `Vary` header (RFC 9110 §12.5.5). */
import type { FastifyReply } from "fastify";

/** Adds lower-case header names to those that other hooks have already set. */
export function addVary(reply: FastifyReply, ...names: readonly string[]): void {
  if (names.length === 0) return;
  const given = reply.getHeader("vary");
  if (given === undefined) return void reply.header("vary", names.join(", "));
  const current = String(given);
  const lower = current.toLowerCase();
  const missing = names.filter((name) => !lower.includes(name) || !lower.split(/,\s*/).includes(name));
  if (missing.length > 0) reply.header("vary", [current, ...missing].join(", "));
}

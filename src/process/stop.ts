/**
 * Ends the process. SIGINT ends it at once. At SIGTERM readiness fails first: load balancers stop sending, and keep-alive
 * clients are asked to disconnect. Then each server completes its requests, the front first, because these requests need
 * the servers behind it. The process ends nine seconds after SIGTERM in any case.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import type { Running } from "./program.ts";

/** Before `docker stop` kills, which is after ten seconds. */
const patienceMs = 9_000;

/** `servers` in the order in which they stop. */
export function stopOnSignals({ servers, end }: Running, config: Config): void {
  process.once("SIGINT", () => process.exit(0));
  process.once("SIGTERM", async () => {
    setTimeout(() => process.exit(1), patienceMs);
    await drain(servers, config.production ? 1_000 : 50);
    await end?.();
    process.exit(0);
  });
}

async function drain(servers: readonly FastifyInstance[], noticeMs: number): Promise<void> {
  for (const server of servers) server.unready.add("stopping");
  await sleep(noticeMs);
  for (const server of servers) {
    // a response that began before readiness failed leaves its connection open, and nothing else closes it
    const sweep = setInterval(() => server.server.closeIdleConnections(), 50);
    await server.close();
    clearInterval(sweep);
  }
}

/**
 * How the process ends. SIGINT: at once. SIGTERM: readiness fails first, so that a balancer stops sending and
 * keep-alive clients are asked to leave; then each server finishes what it has, the front first, so that what is
 * under way still finds everything behind it. Nine seconds after SIGTERM the process is gone in any case.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Config } from "./config.ts";

/** Before `docker stop` kills, which is after ten seconds. */
const patienceMs = 9_000;

/** `servers` in the order in which they stop. */
export function stopOnSignals(servers: readonly FastifyInstance[], config: Config): void {
  process.once("SIGINT", () => process.exit(0));
  process.once("SIGTERM", async () => {
    setTimeout(() => process.exit(1), patienceMs);
    await drain(servers, config.production ? 1_000 : 50);
    process.exit(0);
  });
}

async function drain(servers: readonly FastifyInstance[], noticeMs: number): Promise<void> {
  for (const server of servers) server.unready.add("stopping");
  await sleep(noticeMs);
  for (const server of servers) {
    // an answer that began before the notice leaves its connection open: nobody else closes it
    const sweep = setInterval(() => server.server.closeIdleConnections(), 50);
    await server.close();
    clearInterval(sweep);
  }
}

/**
 * Stops the process on signals. SIGINT exits immediately. On SIGTERM, `/readyz` fails first, so that load balancers send no more
 * requests, and responses ask keep-alive clients to disconnect. Then each server completes its requests. The front stops first,
 * because its requests need the servers behind it. The process exits at most `STOP_TIMEOUT_MS` after SIGTERM. SIGHUP is ignored:
 * log rotation and a closing terminal send it.
 */

import type { Server } from "node:net";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Config } from "../runtime/settings/config.ts";
import type { RunningRoles } from "./program.ts";

export function stopOnSignals({ servers, end }: RunningRoles, config: Config): void {
  const { DRAIN_MS: noticeMs, STOP_TIMEOUT_MS } = config.env;
  process.on("SIGHUP", () => {});
  process.once("SIGINT", () => process.exit(0));
  process.once("SIGTERM", async () => {
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS);
    await drain(servers, noticeMs);
    await end();
    process.exit(0);
  });
}

/** If no request has arrived for this long, presumably no request is on its way on an idle connection. */
const quietMs = 1_000;

async function drain(servers: readonly FastifyInstance[], noticeMs: number): Promise<void> {
  for (const server of servers) server.unready.add("stopping");
  await sleep(noticeMs);
  for (const [index, server] of servers.entries())
    await close(server, index === 0 ? Math.min(noticeMs, quietMs) : 0);
}

/**
 * Closes the port, then the connections. Closing an idle connection would lose a request that a load balancer has just sent, so
 * idle connections stay open until no request has arrived for `quietMs`. Meanwhile, each connection is closed after its next
 * response, so that the load balancer uses other instances.
 */
async function close(server: FastifyInstance, quietMs: number): Promise<void> {
  const { server: http } = server;
  const closeIdle = http.closeIdleConnections.bind(http);
  http.closeIdleConnections = () => {}; // Node calls it when the port is closed
  const closePort = http.close.bind(http);
  http.close = (done) => {
    void drainAcceptQueue(http).then(() => closePort(done));
    return http;
  };
  let requests = 0;
  http.on("request", () => requests++);
  const closed = server.close();
  for (let seen = -1; seen !== requests; ) {
    seen = requests;
    await Promise.race([closed, sleep(quietMs)]);
    await nextTick(); // reads requests that arrived while the process was paused, so that their connections do not count as idle
  }
  // responses that began before `/readyz` failed leave their connections open
  const sweep = setInterval(() => void nextTick().then(closeIdle), 50);
  await closed;
  clearInterval(sweep);
}

/** Maximum wait in `drainAcceptQueue` while connections keep arriving. */
const maxDrainMs = 2_000;

/**
 * A tick that takes at most this long counts as idle, because a new connection is unlikely to arrive during it. The limit grows
 * during the wait, because all ticks of a busy process may be longer than the first limit.
 */
const shortMs = (waitedMs: number): number => 0.5 + waitedMs / 100;

/**
 * Resolves when the accept queue is empty. The port must not be closed earlier, because that would reset the queued connections
 * together with their requests. Node accepts one connection per tick of the event loop, so the queue is empty after a tick
 * without a new connection. The port must be closed in the tick in which the promise resolves.
 */
export async function drainAcceptQueue(server: Server): Promise<void> {
  let accepted = 0;
  const count = (): void => void accepted++;
  server.on("connection", count);
  await nextTick(); // the current tick may have accepted connections already
  const began = performance.now();
  for (let waitedMs = 0, isOver = false; !isOver && waitedMs < maxDrainMs; ) {
    const seen = accepted;
    await nextTick();
    const tookMs = performance.now() - began - waitedMs;
    waitedMs += tookMs;
    isOver = seen === accepted && tookMs < shortMs(waitedMs);
  }
  server.off("connection", count);
}

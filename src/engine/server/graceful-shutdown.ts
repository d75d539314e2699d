/**
 * Stops the process. SIGINT exits immediately. On SIGTERM readiness fails first: load balancers stop sending requests, and
 * keep-alive clients are asked to disconnect. Then each server completes its requests, the front first, because its requests
 * need the servers behind it. The process exits `STOP_TIMEOUT_MS` after SIGTERM at the latest. SIGHUP is ignored: closing
 * terminals and log rotation send it.
 */

import type { Server } from "node:net";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Config } from "../runtime/settings/config.ts";
import type { RunningRoles } from "./program.ts";

/** `servers` in the order in which they stop. */
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

/** If no request has arrived for this long, none is assumed to be in transit on an idle connection. */
const quietMs = 1_000;

async function drain(servers: readonly FastifyInstance[], noticeMs: number): Promise<void> {
  for (const server of servers) server.unready.add("stopping");
  await sleep(noticeMs);
  for (const [index, server] of servers.entries())
    await close(server, index === 0 ? Math.min(noticeMs, quietMs) : 0);
}

/**
 * Closes the port, then the connections. A load balancer may have sent a request on a connection that still looks idle here,
 * and closing the connection would lose it. So idle connections stay open until no request has arrived for `quietMs`. Each
 * response closes its connection meanwhile, so a balancer runs out of connections and uses other instances.
 */
async function close(server: FastifyInstance, quietMs: number): Promise<void> {
  const { server: http } = server;
  const closeIdle = http.closeIdleConnections.bind(http);
  http.closeIdleConnections = () => {}; // Node calls it as soon as the port is closed
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
    await nextTick(); // reads requests that arrived while the process had no CPU time, before a connection counts as idle
  }
  // closes connections left open by responses that began before readiness failed
  const sweep = setInterval(() => void nextTick().then(closeIdle), 50);
  await closed;
  clearInterval(sweep);
}

/** Longest wait of `drainAcceptQueue` while connections keep arriving. */
const maxDrainMs = 2_000;

/**
 * The longest tick that counts as idle: so short that a new connection is unlikely to have arrived in it. The limit grows with
 * the wait, because a busy process may have no short ticks.
 */
const shortMs = (waitedMs: number): number => 0.5 + waitedMs / 100;

/**
 * Resolves when the accept queue is empty: closing the port would reset queued connections, and the requests on them. Node
 * accepts one connection per tick of the event loop, so after a tick without a new connection the queue is empty. The port must
 * be closed in the same tick in which the promise resolves.
 */
export async function drainAcceptQueue(server: Server): Promise<void> {
  let accepted = 0;
  const count = (): void => void accepted++;
  server.on("connection", count);
  await nextTick(); // the current tick may be past its accept phase
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

/**
 * Ends the process. SIGINT ends it at once. At SIGTERM readiness fails first: load balancers stop sending, and keep-alive
 * clients are asked to disconnect. Then each server completes its requests, the front first, because these requests need
 * the servers behind it. The process ends `STOP_TIMEOUT_MS` after SIGTERM in any case. SIGHUP ends nothing: a terminal
 * that closes and a log rotation send it.
 */

import type { Server } from "node:net";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
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
    await end?.();
    process.exit(0);
  });
}

/** Without a request for so long, idle connections hold none that is on its way. */
const quietMs = 1_000;

async function drain(servers: readonly FastifyInstance[], noticeMs: number): Promise<void> {
  for (const server of servers) server.unready.add("stopping");
  await sleep(noticeMs);
  for (const [index, server] of servers.entries())
    await close(server, index === 0 ? Math.min(noticeMs, quietMs) : 0);
}

/**
 * Closes the port, then the connections. A balancer may have sent a request on a connection that looks idle here; closing
 * that connection would lose the request. So idle connections stay until no request has come for `quietMs`: each answer
 * closes its connection, and a balancer with none left goes elsewhere.
 */
async function close(server: FastifyInstance, quietMs: number): Promise<void> {
  const { server: http } = server;
  const closeIdle = http.closeIdleConnections.bind(http);
  http.closeIdleConnections = () => {}; // which Node calls as soon as the port is closed
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
    await turn(); // requests that came while the process had no processor are read before anything looks idle
  }
  // a response that began before readiness failed leaves its connection open, and nothing else closes it
  const sweep = setInterval(() => void turn().then(closeIdle), 50);
  await closed;
  clearInterval(sweep);
}

/** `drainAcceptQueue` waits at most so long, while connections keep coming. */
const patienceMs = 2_000;

/**
 * A turn as short as this leaves the next connection no time to come. A busy process has none, and takes a longer one
 * in time.
 */
const shortMs = (waitedMs: number): number => 0.5 + waitedMs / 100;

/**
 * Waits until no connection waits to be accepted: the kernel resets those when the port is closed, with the requests on
 * them. Node accepts one connection in each turn of the event loop, so a turn without one found none waiting. The caller must
 * close the port at once, in the turn in which the promise resolves.
 */
export async function drainAcceptQueue(server: Server): Promise<void> {
  let accepted = 0;
  const count = (): void => void accepted++;
  server.on("connection", count);
  await turn(); // the first turn may be half over, past the accepting
  const began = performance.now();
  for (let waitedMs = 0, isOver = false; !isOver && waitedMs < patienceMs; ) {
    const seen = accepted;
    await turn();
    const tookMs = performance.now() - began - waitedMs;
    waitedMs += tookMs;
    isOver = seen === accepted && tookMs < shortMs(waitedMs);
  }
  server.off("connection", count);
}

/**
 * Closes connections that carry no request. The descriptors of the process bound the connections of each role. Beyond the
 * bound, the oldest idle connection of the address with most connections is closed. If this address has none, its oldest
 * connection goes whose only request has an unfinished body. So no client keeps others out by opening connections. An
 * unfinished head counts as idle. A server that stops closes connections with an unfinished head,
 * because it would wait for them. After the keep-alive time-out a connection is read once more before it is closed: a
 * request may have come while the process was paused.
 */
import { existsSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { mostConnections } from "../settings/capacity.ts";
import { addressBlock } from "./address-block.ts";
import type { ConnectionState } from "./limit-pipelining.ts";

const patienceMs = 1_000;

/**
 * The connections that clients may have to each of `servers` in this process: a third of its descriptors (`ulimit -n`), in
 * equal parts. The others are for connections to upstreams and for files: of 1,024, a gateway uses up to 528 for upstreams.
 */
export const connectionsOf = (servers: number, descriptors = readDescriptors()): number =>
  Math.min(mostConnections, Math.floor(descriptors / 3 / servers));

/** Infinite if there is no limit, and where the system is not Linux (proc_pid_limits(5)). */
function readDescriptors(): number {
  const limits = existsSync("/proc/self/limits") ? readFileSync("/proc/self/limits", "utf8") : "";
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
}

/**
 * Returns a function for the stop: one second after its call, connections are closed that have sent nothing yet, or a part
 * of a head. A connection that is idle between two requests is left to whoever stops the server. `tell` is called for each
 * connection that is closed because there are too many.
 */
export function closeIdleConnections(
  server: Server,
  underWay: (socket: Socket) => ConnectionState,
  tell: () => void,
  most: number,
): () => void {
  const byOwner = new Map<string, Set<Socket>>();
  let count = 0;
  const isIdle = (socket: Socket): boolean => underWay(socket).unanswered === 0 && !socket.destroyed;
  const isUnfinished = (socket: Socket): boolean => {
    const { unanswered, last } = underWay(socket);
    return unanswered === 1 && last?.req.complete === false && !socket.destroyed;
  };
  const makeRoom = (): void => {
    tell();
    for (const owned of [...byOwner.values()].sort((one, other) => other.size - one.size)) {
      const sockets = [...owned];
      const least = sockets.find(isIdle) ?? sockets.find(isUnfinished);
      if (least) return void least.destroy();
    }
  };
  server.on("connection", (socket) => {
    const owner = addressBlock(socket.remoteAddress ?? "");
    const own = byOwner.get(owner) ?? new Set();
    byOwner.set(owner, own.add(socket));
    socket.once("close", () => {
      count--;
      own.delete(socket);
      if (own.size === 0 && byOwner.get(owner) === own) byOwner.delete(owner);
    });
    if (++count > most) makeRoom();
  });
  server.on("timeout", (socket) => {
    const { bytesRead } = socket;
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) socket.destroy();
    });
  });
  const closeUnfinished = (): void => {
    for (const sockets of byOwner.values())
      for (const socket of sockets) {
        const { unanswered, bytesBefore } = underWay(socket);
        if (unanswered === 0 && socket.bytesRead > bytesBefore) socket.destroy();
      }
  };
  return () => void setTimeout(closeUnfinished, patienceMs).unref();
}

/**
 * Which answers close their connection while a server stops. A connection that was open when the notice began is told to
 * close, so that its client goes elsewhere. One that is opened later comes from a balancer that does not read `/readyz`:
 * told to close, it would open the next one here. The kernel resets connections that are not accepted yet when the port
 * is closed, with the requests on them. So later connections stay open until the port is closed, and then few are new.
 * Returns whether the answer under way on a connection closes it.
 */
export function createLastAnswers(server: Server, unready: ReadonlySet<string>): (socket: Socket) => boolean {
  const later = new WeakSet<Socket>();
  const isStopping = (): boolean => unready.has("stopping");
  server.on("connection", (socket) => {
    if (isStopping()) later.add(socket);
  });
  return (socket) => isStopping() && !(server.listening && later.has(socket));
}

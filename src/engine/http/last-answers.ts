/**
 * Which answers close their connection while a server stops. A connection that was open when the notice began is told to
 * close, so that its client goes elsewhere. One that is opened later comes from a balancer that does not read `/readyz`:
 * told to close, it would open the next one here. The kernel resets connections that are not accepted yet when the port is
 * closed, with the requests on them. So later connections stay open until the port is closed, and then few are new.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Returns whether the answer under way on a connection closes it. */
export function createLastAnswers(server: Server, unready: ReadonlySet<string>): (socket: Socket) => boolean {
  const later = new WeakSet<Socket>();
  const isStopping = (): boolean => unready.has("stopping");
  server.on("connection", (socket) => {
    if (isStopping()) later.add(socket);
  });
  return (socket) => isStopping() && !(server.listening && later.has(socket));
}

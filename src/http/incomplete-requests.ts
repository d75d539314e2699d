/** Closes connections without a complete request head when the server stops. No response is possible, and the stop would wait. */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionState } from "./limit-pipelining.ts";

const patienceMs = 1_000;

/** Returns a function: one second after its call, connections without a request in progress are closed. */
export function createIncompleteRequestCloser(
  server: Server,
  underWay: (socket: Socket) => ConnectionState,
): () => void {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const close = (): void => {
    for (const socket of sockets) if (underWay(socket).unanswered === 0) socket.destroy();
  };
  return () => void setTimeout(close, patienceMs).unref();
}

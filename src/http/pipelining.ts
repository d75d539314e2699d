/**
 * Requests that a client sends on one connection before their answers came (RFC 9112 §9.3.2). All that arrive together
 * are handled in one turn of the event loop, so that a connection with more of them than any client sends is closed.
 */
import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";

const maxUnanswered = 64;

/** Puts the bound in front of whatever handles the server's requests so far. */
export function boundPipelining(server: Server): void {
  const handlers = server.listeners("request") as RequestListener[];
  const unanswered = new WeakMap<Socket, number>();
  const count = (socket: Socket, by: number): number => {
    const sum = (unanswered.get(socket) ?? 0) + by;
    unanswered.set(socket, sum);
    return sum;
  };
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const { socket } = request;
    if (count(socket, 1) > maxUnanswered) return void socket.destroy();
    response.once("close", () => count(socket, -1));
    for (const handle of handlers) handle(request, response);
  });
}

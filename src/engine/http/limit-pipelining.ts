/**
 * Bounds the pipelined requests of a connection (RFC 9112 §9.3.2). Requests that arrive together are handled in one turn of
 * the event loop, so a connection with more unanswered requests than any real client sends is closed.
 */
import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { pipelinedRequests } from "../settings/capacity.ts";

/** The requests in progress on a connection. */
export type ConnectionState = {
  /** Requests without a complete response. */
  unanswered: number;
  /**
   * The response to the newest request, until both are complete. An idle connection keeps none: a response holds its
   * request, and all that was made for it.
   */
  last: ServerResponse | undefined;
  /** Bytes that had come when the last response was complete. -1: there was none. */
  bytesBefore: number;
};

/** Wraps the server's request listeners. Returns a function that reads the state of a connection. */
export function limitPipelining(server: Server): (socket: Duplex) => Readonly<ConnectionState> {
  const handlers = server.listeners("request") as RequestListener[];
  const connections = new WeakMap<Duplex, ConnectionState>();
  const underWay = (socket: Duplex): ConnectionState => {
    let state = connections.get(socket);
    if (state) return state;
    state = { unanswered: 0, last: undefined, bytesBefore: -1 };
    connections.set(socket, state);
    return state;
  };
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    const { socket } = request;
    const connection = underWay(socket);
    connection.last = response;
    if (++connection.unanswered > pipelinedRequests) return void socket.destroy();
    response.on("close", () => {
      connection.unanswered--;
      connection.bytesBefore = socket.bytesRead;
      if (request.complete && connection.last === response) connection.last = undefined;
    });
    for (const handle of handlers) handle(request, response);
  });
  return underWay;
}

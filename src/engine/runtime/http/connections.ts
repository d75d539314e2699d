/**
 * The connections of clients to a server. Each is one object, with what is under way on it.
 *
 * The descriptors of the process bound the connections of each role. Beyond the bound, the oldest idle connection of the
 * address with most connections is closed. If this address has none, its oldest connection goes whose only request has an
 * unfinished body. So no client keeps others out by opening connections. An unfinished head counts as idle.
 *
 * Requests that arrive together are handled in one turn of the event loop. So a connection with more unanswered requests than
 * any real client pipelines (RFC 9112 §9.3.2) is closed.
 */
import { existsSync, readFileSync } from "node:fs";
import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { mostConnections, pipelinedRequests } from "../settings/capacity.ts";
import { addressBlock } from "./address-block.ts";

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

export class ClientConnection {
  readonly socket: Socket;
  /** Requests without a complete response. */
  unanswered = 0;
  /**
   * The response to the newest request, until both are complete. An idle connection keeps none: a response holds its
   * request, and all that was made for it.
   */
  last: ServerResponse | undefined;
  /** Bytes that had come when the last response was complete. -1: there was none. */
  bytesBefore = -1;
  /** Bytes that its client has taken, and those that it may leave unread; `slow-readers.ts` counts them. */
  taken = 0;
  credit: number | undefined;
  /** It is closed because its client reads too slowly. */
  isUnread = false;
  /** It was opened after the notice that the server stops. */
  isLate = false;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  begin(response: ServerResponse): void {
    this.last = response;
    this.unanswered++;
    response.on("close", () => {
      this.unanswered--;
      this.bytesBefore = this.socket.bytesRead;
      if (response.req.complete && this.last === response) this.last = undefined;
    });
  }
}

const isIdle = ({ unanswered, socket }: ClientConnection): boolean => unanswered === 0 && !socket.destroyed;

const hasUnfinishedBody = ({ unanswered, last, socket }: ClientConnection): boolean =>
  unanswered === 1 && last?.req.complete === false && !socket.destroyed;

const patienceMs = 1_000;

export class Connections extends Map<Socket, ClientConnection> {
  /** The oldest of each address first. */
  readonly #byOwner = new Map<string, Set<ClientConnection>>();
  /**
   * Whether the answer under way on a connection closes it, because the server stops. A connection that was open when the
   * notice began is told to close, so that its client goes elsewhere. One that is opened later comes from a balancer that does
   * not read `/readyz`: told to close, it would open the next one here. The kernel resets connections that are not accepted
   * yet when the port is closed, with the requests on them. So later connections stay open until the port is closed, and then
   * few are new.
   */
  readonly isLastAnswer: (socket: Socket) => boolean;

  /** `tell` is called for each connection that is closed because there are more than `most`. */
  constructor(server: Server, unready: ReadonlySet<string>, most: number, tell: () => void) {
    super();
    this.isLastAnswer = (socket) =>
      unready.has("stopping") && !(server.listening && this.get(socket)?.isLate === true);
    const handlers = server.listeners("request") as RequestListener[];
    server.removeAllListeners("request");
    server.on("request", (request, response) => {
      const connection = this.get(request.socket) as ClientConnection;
      connection.begin(response);
      if (connection.unanswered > pipelinedRequests) return void request.socket.destroy();
      for (const handle of handlers) handle(request, response);
    });
    server.on("connection", (socket) => {
      this.#add(socket).isLate = unready.has("stopping");
      if (this.size <= most) return;
      tell();
      this.#leastNeeded()?.socket.destroy();
    });
    // read once more at the end of the keep-alive time-out: a request may have come while the process was paused
    server.on("timeout", (socket) => {
      const { bytesRead } = socket;
      setImmediate(() => {
        if (socket.bytesRead === bytesRead) socket.destroy();
      });
    });
  }

  #add(socket: Socket): ClientConnection {
    const connection = new ClientConnection(socket);
    const owner = addressBlock(socket.remoteAddress ?? "");
    const own = this.#byOwner.get(owner) ?? new Set();
    this.#byOwner.set(owner, own.add(connection));
    this.set(socket, connection);
    socket.once("close", () => {
      this.delete(socket);
      own.delete(connection);
      if (own.size === 0 && this.#byOwner.get(owner) === own) this.#byOwner.delete(owner);
    });
    return connection;
  }

  #leastNeeded(): ClientConnection | undefined {
    for (const owned of [...this.#byOwner.values()].sort((one, other) => other.size - one.size)) {
      const least = [...owned].find(isIdle) ?? [...owned].find(hasUnfinishedBody);
      if (least) return least;
    }
    return undefined;
  }

  /**
   * For a stop, which would wait for them: one second later, connections are closed that have sent nothing yet, or a part of a
   * head. A connection that is idle between two requests is left to whoever stops the server.
   */
  closeUnfinished(): void {
    const close = (): void => {
      for (const { unanswered, bytesBefore, socket } of this.values())
        if (unanswered === 0 && socket.bytesRead > bytesBefore) socket.destroy();
    };
    setTimeout(close, patienceMs).unref();
  }
}

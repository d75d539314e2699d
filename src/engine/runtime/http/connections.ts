/**
 * Tracks and limits the client connections of a server.
 *
 * The number of connections is limited by the file descriptors of the process. Above the limit, the address with the most
 * connections loses its oldest idle one, so that a client cannot exclude others by opening connections. If all are busy, it loses
 * the oldest one with a single request whose body is unfinished; without one, the next address loses a connection. A connection
 * with incomplete headers counts as idle.
 *
 * Pipelined requests that arrive together are handled in one tick of the event loop. Real clients pipeline few (RFC 9112 §9.3.2),
 * so a connection with many unanswered requests is closed.
 */
import { existsSync, readFileSync } from "node:fs";
import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { mostConnections, pipelinedRequests } from "../settings/capacity.ts";
import { addressBlock } from "./address-block.ts";

/**
 * Returns the maximum number of client connections of each of `servers` in this process. Together they may use a third of the
 * file descriptors (`ulimit -n`). The rest is for upstream connections and files: with 1,024 descriptors, a gateway uses up to
 * 528 for upstreams.
 */
export const connectionsOf = (servers: number, descriptors = readDescriptors()): number =>
  Math.min(mostConnections, Math.floor(descriptors / 3 / servers));

/** Infinite without a limit, and on systems other than Linux (proc_pid_limits(5)). */
function readDescriptors(): number {
  const limits = existsSync("/proc/self/limits") ? readFileSync("/proc/self/limits", "utf8") : "";
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
}

export class ClientConnection {
  readonly socket: Socket;
  /** Number of requests whose response is not complete. */
  unanswered = 0;
  /**
   * The response to the newest request. The property is cleared when the request and its response are complete, so that an idle
   * connection does not keep the request and its data in memory.
   */
  last: ServerResponse | undefined;
  /** Bytes received when the last response was complete; -1 before the first one. */
  bytesBefore = -1;
  /** State of `slow-readers.ts`: bytes that the kernel has accepted, and how many bytes the client may still fall behind. */
  acceptedBytes = 0;
  credit: number | undefined;
  /** Whether the connection was closed because the client read too slowly. */
  isUnread = false;
  /** Whether the connection was opened after `/readyz` began to announce the stop. */
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

const unfinishedMs = 1_000;

export class Connections extends Map<Socket, ClientConnection> {
  /** The connections of each address, the oldest first. */
  readonly #byOwner = new Map<string, Set<ClientConnection>>();
  /**
   * Whether a response should close its connection because the server stops. Connections that were opened before the announcement
   * are closed, so that their clients use other instances. Later connections come from load balancers that ignore `/readyz` and
   * would only open new connections here. Later connections stay open until the port is closed: closing the port resets
   * connections that are not yet accepted, together with their requests.
   */
  readonly isLastAnswer: (socket: Socket) => boolean;

  /** `onFull` is called each time the number of connections exceeds `most`. */
  constructor(server: Server, unready: ReadonlySet<string>, most: number, onFull: () => void) {
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
      onFull();
      this.#leastNeeded()?.socket.destroy();
    });
    // a request may have arrived while the process was paused, so the socket is read once more before the timeout closes it
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
   * Called when the server stops. After one second, closes connections with no data or incomplete headers: the stop would wait
   * for them. `graceful-shutdown.ts` closes connections that are idle between requests.
   */
  closeUnfinished(): void {
    const close = (): void => {
      for (const { unanswered, bytesBefore, socket } of this.values())
        if (unanswered === 0 && socket.bytesRead > bytesBefore) socket.destroy();
    };
    setTimeout(close, unfinishedMs).unref();
  }
}

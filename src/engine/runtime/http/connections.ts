/**
 * The client connections of a server, and the state of each.
 *
 * The process's file descriptors limit the connections of each role. Above the limit, the oldest idle connection of the address
 * with the most connections is closed; if this address has no idle connection, its oldest connection whose only request has an
 * unfinished body. So a client cannot keep others out by opening connections. A connection with incomplete headers counts as
 * idle.
 *
 * Requests that arrive together are handled in a single tick of the event loop, so a connection with more unanswered requests
 * than real clients pipeline (RFC 9112 §9.3.2) is closed.
 */
import { existsSync, readFileSync } from "node:fs";
import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { mostConnections, pipelinedRequests } from "../settings/capacity.ts";
import { addressBlock } from "./address-block.ts";

/**
 * Maximum number of client connections for each of `servers` in this process: a third of its descriptors (`ulimit -n`), shared
 * equally. The rest is for upstream connections and files: of 1,024, a gateway uses up to 528 for upstreams.
 */
export const connectionsOf = (servers: number, descriptors = readDescriptors()): number =>
  Math.min(mostConnections, Math.floor(descriptors / 3 / servers));

/** Infinite if there is no limit, and on systems other than Linux (proc_pid_limits(5)). */
function readDescriptors(): number {
  const limits = existsSync("/proc/self/limits") ? readFileSync("/proc/self/limits", "utf8") : "";
  return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
}

export class ClientConnection {
  readonly socket: Socket;
  /** Requests without a complete response. */
  unanswered = 0;
  /**
   * The response to the newest request, until both are complete. Cleared on idle connections, because a response keeps its
   * request and everything created for it in memory.
   */
  last: ServerResponse | undefined;
  /** Bytes received when the last response was complete; -1: none yet. */
  bytesBefore = -1;
  /**
   * Bytes that the kernel has accepted for the client, and the bytes by which the client may still fall behind the minimum rate;
   * maintained by `slow-readers.ts`.
   */
  acceptedBytes = 0;
  credit: number | undefined;
  /** Whether it was closed because the client read too slowly. */
  isUnread = false;
  /** Whether it was opened after the server announced that it stops. */
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
  /** Oldest first within each address. */
  readonly #byOwner = new Map<string, Set<ClientConnection>>();
  /**
   * Whether the current response should close its connection because the server stops. Connections opened before the
   * announcement are closed, so that their clients use other instances. Later ones come from a load balancer that does not read
   * `/readyz` and would open new connections here; closing the port resets connections that are not yet accepted, with their
   * requests. So later connections stay open until the port is closed, which keeps the number of new ones small.
   */
  readonly isLastAnswer: (socket: Socket) => boolean;

  /** `onFull` is called for each connection that is closed because there are more than `most`. */
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
    // read once more at the end of the keep-alive timeout: a request may have arrived while the process was paused
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
   * Called when the server stops: after one second, closes connections that have sent nothing or incomplete headers, because the
   * stop would wait for them. Connections that are idle between requests are left to `graceful-shutdown.ts`.
   */
  closeUnfinished(): void {
    const close = (): void => {
      for (const { unanswered, bytesBefore, socket } of this.values())
        if (unanswered === 0 && socket.bytesRead > bytesBefore) socket.destroy();
    };
    setTimeout(close, unfinishedMs).unref();
  }
}

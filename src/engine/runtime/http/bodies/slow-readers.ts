/**
 * Closes the connections of clients that do not read their answers. A client must take `minimumRate` bytes a second,
 * measured over a window: an answer that is not sent yet stays in memory, here or in the role behind. The time in which
 * nothing waits to be sent does not count. What the client sends meanwhile changes nothing.
 *
 * The time is a count of looks, so a late event loop makes no client slow. Node tells of a large write only when all of it
 * is sent, so the kernel's progress is read from the socket's handle, as Node's own time-out does.
 */
import type { Socket } from "node:net";
import { CodedError } from "../../coded-error.ts";
import { slowReaders } from "../../settings/capacity.ts";
import type { Connections } from "../connections.ts";

const mostLookMs = 1_000;

/** Bytes that were written to the connection, and those of them that the kernel has not taken yet. */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number };

/** Why the requests of a connection that was closed here have failed. Logs and metrics tell it; no client can get it. */
export const readTooSlowly = new CodedError(
  "CLIENT_CLOSED_REQUEST",
  "the answer is read too slowly",
  {},
  undefined,
  "slow_reader",
);

/** The window is `windowMs` long. Returns the function that ends this. */
export function closeSlowReaders(connections: Connections, windowMs: number): () => void {
  const lookMs = Math.min(mostLookMs, windowMs / 4);
  const most = (slowReaders.minimumRate * windowMs) / 1_000;
  const ofLook = (slowReaders.minimumRate * lookMs) / 1_000;
  const look = (): void => {
    for (const connection of connections.values()) {
      const { socket } = connection;
      const taken = takenFrom(socket);
      const read = taken - connection.taken;
      connection.taken = taken;
      connection.credit =
        socket.writableLength === 0 ? most : Math.min((connection.credit ?? most) + read, most) - ofLook;
      if (connection.credit > 0) continue;
      connection.isUnread = true;
      socket.resetAndDestroy(); // the kernel then drops its buffers too
    }
  };
  const timer = setInterval(look, lookMs).unref();
  return () => clearInterval(timer);
}

function takenFrom(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: Handle | null };
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

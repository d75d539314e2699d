/**
 * Closes the connections of clients that read responses too slowly, because unread responses stay in memory, in this role or in
 * the role behind it. A client must read `minimumRate` bytes per second on average over a window. Time without pending data does
 * not count. A client that sends data but does not read also counts as slow.
 *
 * Time is counted in checks, not measured: a delay of the event loop must not make clients look slow. Node reports a large write
 * only when it is complete, so progress is read from the socket's handle, as in Node's own timeout.
 */
import type { Socket } from "node:net";
import { CodedError } from "../../coded-error.ts";
import { slowReaders } from "../../settings/capacity.ts";
import type { Connections } from "../connections.ts";

const maxCheckMs = 1_000;

/** `bytesWritten` includes the `writeQueueSize` bytes that the kernel has not accepted yet. */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number };

/**
 * The error in logs and metrics if a connection was closed because its client read too slowly. The client does not receive it.
 */
export const readTooSlowly = new CodedError(
  "CLIENT_CLOSED_REQUEST",
  "the response was read too slowly",
  {},
  { reason: "slow_reader" },
);

/** Starts the checks, and returns a function that stops them. */
export function closeSlowReaders(connections: Connections, windowMs: number): () => void {
  const checkMs = Math.min(maxCheckMs, windowMs / 4);
  const most = (slowReaders.minimumRate * windowMs) / 1_000;
  const perCheck = (slowReaders.minimumRate * checkMs) / 1_000;
  const check = (): void => {
    for (const connection of connections.values()) {
      const { socket } = connection;
      const acceptedBytes = acceptedBytesOf(socket);
      const read = acceptedBytes - connection.acceptedBytes;
      connection.acceptedBytes = acceptedBytes;
      connection.credit =
        socket.writableLength === 0 ? most : Math.min((connection.credit ?? most) + read, most) - perCheck;
      if (connection.credit > 0) continue;
      connection.isUnread = true;
      socket.resetAndDestroy(); // also drops the buffers of the kernel
    }
  };
  const timer = setInterval(check, checkMs).unref();
  return () => clearInterval(timer);
}

function acceptedBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: Handle | null };
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

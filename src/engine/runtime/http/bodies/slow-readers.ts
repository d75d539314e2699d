/**
 * Closes the connections of clients that read their responses too slowly, because unread responses stay in memory, here or in
 * the role behind. A client must read `minimumRate` bytes per second, averaged over a window. Time in which nothing waits to be
 * sent does not count. Data that the client sends meanwhile makes no difference.
 *
 * Time is counted in checks rather than measured, so that a delayed event loop does not make clients look slow. Node reports a
 * large write only when it is complete, so progress is read from the socket's handle, as Node's own timeout does.
 */
import type { Socket } from "node:net";
import { CodedError } from "../../coded-error.ts";
import { slowReaders } from "../../settings/capacity.ts";
import type { Connections } from "../connections.ts";

const maxCheckMs = 1_000;

/** Bytes written to the connection, and how many of them the kernel has not accepted yet. */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number };

/** The error of requests on a connection that was closed here. For logs and metrics; the client never receives it. */
export const readTooSlowly = new CodedError(
  "CLIENT_CLOSED_REQUEST",
  "the response was read too slowly",
  {},
  { reason: "slow_reader" },
);

/** Starts the checks. Returns the function that stops them. */
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
      socket.resetAndDestroy(); // the kernel then drops its buffers too
    }
  };
  const timer = setInterval(check, checkMs).unref();
  return () => clearInterval(timer);
}

function acceptedBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: Handle | null };
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

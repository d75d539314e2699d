/**
 * Closes the connections of clients that do not read their answers. A client must take `minimumRate` bytes a second,
 * measured over a window: an answer that is not sent yet stays in memory, here or in the role behind. The time in which
 * nothing waits to be sent does not count. What the client sends meanwhile changes nothing.
 *
 * The time is a count of looks, so a late event loop makes no client slow. Node tells of a large write only when all of it
 * is sent, so the kernel's progress is read from the socket's handle, as Node's own time-out does.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { CodedError } from "../../errors.ts";
import { slowReaders } from "../../settings/capacity.ts";

const mostLookMs = 1_000;

/** Bytes that were written to the connection, and those of them that the kernel has not taken yet. */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number };

/** `credit` is the number of bytes that the client may leave unread. */
type Reader = { taken: number; credit: number };

const closed = new WeakSet<Socket>();
const failure = new CodedError(
  "CLIENT_CLOSED_REQUEST",
  "the answer is read too slowly",
  {},
  undefined,
  "slow_reader",
);

/** Why the requests of a connection that was closed here have failed. Logs and metrics tell it; no client can get it. */
export const slowReaderOf = (socket: Socket): CodedError | undefined =>
  closed.has(socket) ? failure : undefined;

/** The window is `windowMs` long. */
export function closeSlowReaders(server: Server, windowMs: number): void {
  const lookMs = Math.min(mostLookMs, windowMs / 4);
  const bytesOf = (ms: number): number => (slowReaders.minimumRate * ms) / 1_000;
  const most = bytesOf(windowMs);
  const readers = new Map<Socket, Reader>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    for (const [socket, reader] of readers) {
      const taken = takenFrom(socket);
      const read = taken - reader.taken;
      reader.taken = taken;
      reader.credit =
        socket.writableLength === 0 ? most : Math.min(reader.credit + read, most) - bytesOf(lookMs);
      if (reader.credit > 0) continue;
      closed.add(socket);
      socket.resetAndDestroy(); // the kernel then drops its buffers too
    }
  };
  server.on("connection", (socket) => {
    readers.set(socket, { taken: 0, credit: most });
    timer ??= setInterval(look, lookMs).unref();
    socket.once("close", () => {
      readers.delete(socket);
      if (readers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  });
}

function takenFrom(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: Handle | null };
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

/**
 * Waits until no connection waits to be accepted: the kernel resets those when the port is closed, with the requests on
 * them. Node accepts one connection in each turn of the event loop, so a turn without one found none waiting.
 */
import type { Server } from "node:net";
import { setImmediate } from "node:timers/promises";

/** At most so long, while connections keep coming. */
const patienceMs = 2_000;

/**
 * A turn as short as this leaves the next connection no time to come. A busy process has none, and takes a longer one
 * in time.
 */
const shortMs = (waitedMs: number): number => 0.5 + waitedMs / 100;

/** The caller must close the port at once, in the turn in which the promise resolves. */
export async function allAccepted(server: Server): Promise<void> {
  let accepted = 0;
  const count = (): void => void accepted++;
  server.on("connection", count);
  await setImmediate(); // the first turn may be half over, past the accepting
  const began = performance.now();
  for (let waitedMs = 0, isOver = false; !isOver && waitedMs < patienceMs; ) {
    const seen = accepted;
    await setImmediate();
    const tookMs = performance.now() - began - waitedMs;
    waitedMs += tookMs;
    isOver = seen === accepted && tookMs < shortMs(waitedMs);
  }
  server.off("connection", count);
}

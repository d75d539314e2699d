/**
 * Waits until no connection waits to be accepted: the kernel resets those when the port is closed, with the requests on
 * them. Node accepts one connection in each turn of the event loop, so a turn without one found none waiting.
 */
import type { Server } from "node:net";
import { setImmediate } from "node:timers/promises";

/** At most so long, while connections keep coming. */
const patienceMs = 500;
/** A turn that is no longer leaves the next connection no time to come. */
const shortMs = 0.5;

/** Whoever awaits this closes the port at once, in the same turn. */
export async function allAccepted(server: Server): Promise<void> {
  const until = performance.now() + patienceMs;
  let accepted = 0;
  const count = (): void => void accepted++;
  server.on("connection", count);
  for (let seen = -1, took = 0; (seen !== accepted || took > shortMs) && performance.now() < until; ) {
    seen = accepted;
    const began = performance.now();
    await setImmediate();
    took = performance.now() - began;
  }
  server.off("connection", count);
}

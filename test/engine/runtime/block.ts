/** Blocks the event loop. For timers and sockets this is what a pause of the process is. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

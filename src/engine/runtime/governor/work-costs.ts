/**
 * Measures processor time, and estimates it for work that is not measured.
 *
 * The CPU clock of a thread is too coarse: Linux advances it at scheduler ticks. For eight runs of 0.5 ms each, it showed
 * 0 ms seven times and 4 ms once. The CPU clock of the process is exact but includes other threads, so a
 * measurement is limited to the elapsed time.
 */

/** Starts measuring this thread's work. The returned function returns the milliseconds so far. Each call takes 0.6 µs. */
export function startWork(): () => number {
  const used = process.cpuUsage();
  const began = performance.now();
  return () => {
    const elapsed = performance.now() - began;
    const { user, system } = process.cpuUsage(used);
    return Math.min((user + system) / 1_000, elapsed);
  };
}

/** Processor time of a request that is refused without execution. Measured: 0.1 to 0.13 ms. */
export const msPerRefusal = 0.1;
/** Processor time of an MCP message, except parsing it and writing the response. Measured: 0.4 ms, and 0.9 ms under a flood. */
export const msPerMessage = 0.8;
/** Processor time of each JSON value in an MCP message, which the SDK validates about ten times. Measured: 0.002 to 0.005 ms. */
export const msPerMessageValue = 0.004;
/** Processor time of encoding, sending and receiving a REST call, except parsing its response. */
export const msPerCall = 0.05;
/** A response that needs no execution costs `msPerSharedResponse`, plus 1 ms for every `writtenPerMs` characters. */
export const msPerSharedResponse = 0.03;
export const writtenPerMs = 1_000_000;
/** Characters of JSON parsed per millisecond. Measured: 132,000 to 297,000. */
export const charactersPerMs = 200_000;
/** Characters of a GraphQL document parsed per millisecond. Measured: 2,800 (brackets) to 112,000 (comments). */
export const documentCharactersPerMs = 8_000;
/** Bytes decompressed per millisecond of processor time, most of it on other threads. Measured: 220,000 to 465,000. */
export const decompressedPerMs = 220_000;
/** Characters of a response compressed per millisecond. Measured: 35,000 (gzip, random words) to 545,000 (brotli, rows). */
export const compressedPerMs = 35_000;
/**
 * From this many bytes or characters on, the work on a REST response is measured. The work on a smaller response is estimated.
 */
export const largeBody = 65_536;

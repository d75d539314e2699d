/**
 * Measures the processor time of work, and defines the estimates that are charged for work that is not measured.
 *
 * The CPU clock of one thread is useless: Linux advances it at the scheduler's ticks, so 0.5 ms of work took 0 ms seven times and
 * 4 ms the eighth time. The process's CPU clock is exact, but includes its other threads, so the elapsed time is used as an upper
 * bound.
 */

/**
 * Starts measuring work of this thread. Returns a function that returns the milliseconds so far. Each of the two calls takes 0.6
 * µs.
 */
export function startWork(): () => number {
  const used = process.cpuUsage();
  const began = performance.now();
  return () => {
    const elapsed = performance.now() - began;
    const { user, system } = process.cpuUsage(used);
    return Math.min((user + system) / 1_000, elapsed);
  };
}

/** Processor time of a request that is refused without an execution. Measured: 0.1 to 0.13 ms. */
export const msPerRefusal = 0.1;
/**
 * Processor time of a message that an agent sends over MCP, excluding parsing it and writing the response. Measured: 0.4 ms, and
 * 0.9 under a flood.
 */
export const msPerMessage = 0.8;
/** Processor time of each JSON value in an MCP message, which the SDK validates about ten times. Measured: 0.002 to 0.005 ms. */
export const msPerMessageValue = 0.004;
/** Processor time of a REST call, excluding parsing the response: for encoding, sending and receiving. */
export const msPerCall = 0.05;
/** Processor time of a response that needs no execution, and how many of its characters are written in a millisecond. */
export const msPerSharedResponse = 0.03;
export const writtenPerMs = 1_000_000;
/** Characters of JSON that are parsed in a millisecond. Measured: 132,000 to 297,000. */
export const charactersPerMs = 200_000;
/** Characters of a GraphQL document that are parsed in a millisecond. Measured: 2,800 (brackets) to 112,000 (comments). */
export const documentCharactersPerMs = 8_000;
/** Bytes that are decompressed in a millisecond of processor time, most of it on other threads. Measured: 220,000 to 465,000. */
export const decompressedPerMs = 220_000;
/**
 * Characters of a response that are compressed in a millisecond. Measured: 35,000 (gzip, random words) to 545,000 (brotli, rows).
 */
export const compressedPerMs = 35_000;
/**
 * Work on a REST response is measured if the response has at least this many bytes or characters. Less work is charged by an
 * estimate.
 */
export const largeBody = 65_536;

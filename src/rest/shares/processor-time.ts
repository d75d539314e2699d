/** The processor time that this thread has used. A wait for other processes of a busy machine does not count. */

/** Milliseconds since the thread's start. A call takes about half a microsecond. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Processor time of a request that is refused without an execution. Measured: 0.1 to 0.13 ms. */
export const msPerRefusal = 0.1;
/** Processor time of a call beside its parsing: it is encoded, sent and received. */
export const msPerCall = 0.05;
/** Processor time of an answer that needs no execution, and the characters of it that are written in a millisecond. */
export const msPerFoundAnswer = 0.03;
export const writtenPerMs = 1_000_000;
/** Characters of JSON that are parsed in a millisecond. Measured: 132,000 to 297,000. */
export const charactersPerMs = 200_000;
/** Bytes that are decompressed in a millisecond of processor time, most of it on other threads. Measured: 220,000 to 465,000. */
export const decompressedPerMs = 220_000;
/** Work on so many bytes of responses, or characters of one response, is measured. */
export const largeBody = 65_536;

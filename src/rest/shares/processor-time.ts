/** The processor time that this thread has used. A wait for other processes of a busy machine does not count. */

/** Milliseconds since the thread's start. A call takes about half a microsecond. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

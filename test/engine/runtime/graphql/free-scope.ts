/** A request's scope for tests of the execution alone: nobody charges processor time. */
const run = <T>(work: () => T): T => work();
export const freeScope = { charge() {}, measured: run, completed: run };

/** The same with a budget of bytes without an end, for responses of 1,000 bytes. */
export const freeBudget = {
  ...freeScope,
  maxResponseBytes: 1_000,
  reserve: () => undefined,
  release() {},
  decompressed: run,
};

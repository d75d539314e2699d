/** A request's scope for tests of the execution alone: nobody charges processor time. */
const run = <T>(work: () => T): T => work();
export const freeScope = { worked() {}, measured: run, completed: run };

/** The same with a budget of bytes without an end. */
export const freeBudget = { ...freeScope, hold: () => undefined, drop() {}, decompressed: run };

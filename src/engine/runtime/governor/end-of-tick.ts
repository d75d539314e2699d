/**
 * The end of a turn of the event loop. A write to a socket wakes the process that reads it, if that process sleeps, which
 * costs more than the write itself. Responses that are sent together wake it once.
 */
let end: Promise<void> | undefined;

/** Resolves when the data that came in this turn is handled. All that wait in a turn go on together. */
export function endOfTick(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
}

/** What is counted or kept for requests: the keys of all `TransientMap`s that a test fills. */
import { onTestFinished, vi } from "vitest";
import { TransientMap } from "../../../../src/engine/runtime/governor/transient-map.ts";

/** Call it before the server is made. The returned function tells the number of keys. */
export function countedKeys(): () => number {
  const maps = new Set<TransientMap<unknown>>();
  const { set } = TransientMap.prototype;
  const spy = vi.spyOn(TransientMap.prototype, "set").mockImplementation(function (
    this: TransientMap<unknown>,
    ...given
  ) {
    maps.add(this);
    set.apply(this, given);
  });
  onTestFinished(() => spy.mockRestore());
  return () => [...maps].reduce((sum, { size }) => sum + size, 0);
}

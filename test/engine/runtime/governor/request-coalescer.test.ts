/** Requests that wait coalescer: one that has left gets no further execution. */
import { expect, test } from "vitest";
import { RequestCoalescer } from "../../../../src/engine/runtime/governor/request-coalescer.ts";

const scope = { onLeave: () => {}, ended: () => {} };

test("a request that leaves during its execution does not wait for the next one, if the execution has no outcome", async () => {
  const coalescer = new RequestCoalescer<{ scope: typeof scope }, string>(
    () => {},
    () => {},
  );
  const first = coalescer.begin();
  const leaving = coalescer.wait({ scope });
  const staying = coalescer.wait({ scope });
  const waiters = coalescer.begin();
  expect(waiters).toEqual([leaving, staying]);
  leaving.leave(new Error("left"));
  await expect(leaving.result).rejects.toThrow("left");
  coalescer.end(waiters);
  expect(coalescer.oldest).toBe(staying);
  const last = coalescer.begin();
  coalescer.end(last, "result");
  coalescer.end(first);
  expect(await staying.result).toBe("result");
});

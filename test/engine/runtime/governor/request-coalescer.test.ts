/** Readers that wait together: who has left gets no further work. */
import { expect, test } from "vitest";
import { RequestCoalescer } from "../../../../src/engine/runtime/governor/request-coalescer.ts";

const scope = { onLeave: () => {}, ended: () => {} };

test("a reader that leaves while its work is under way does not wait for the next, if the work has no outcome", async () => {
  const together = new RequestCoalescer<{ scope: typeof scope }, string>(
    () => {},
    () => {},
  );
  const first = together.begin();
  const [leaving, staying] = [together.wait({ scope }), together.wait({ scope })];
  const readers = together.begin();
  expect(readers).toEqual([leaving, staying]);
  leaving.leave(new Error("left"));
  await expect(leaving.found).rejects.toThrow("left");
  together.end(readers);
  expect(together.oldest).toBe(staying);
  const last = together.begin();
  together.end(last, "found");
  together.end(first);
  expect(await staying.found).toBe("found");
});

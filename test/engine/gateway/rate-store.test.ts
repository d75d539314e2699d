/** Counts within a minute. */
import { expect, test, vi } from "vitest";
import { RateStore } from "../../../src/engine/gateway/rate-store.ts";

test("a window never has more than its minute left, whatever the time is", () => {
  const store = new RateStore();
  const now = vi.spyOn(performance, "now");
  for (let time = 0; time < 100_000; time += 99.37) {
    now.mockReturnValue(time);
    expect(store.count(`address ${time}`).leftMs).toBe(60_000);
  }
  now.mockRestore();
});

/** The clock for the processor time of work. */
import { expect, test } from "vitest";
import { startWork } from "../../../src/engine/rest/shares/processor-time.ts";

test("short work is measured, each time", () => {
  const measured = Array.from({ length: 51 }, () => {
    const workedMs = startWork();
    const until = performance.now() + 0.5;
    while (performance.now() < until);
    return workedMs();
  }).sort((one, other) => one - other);
  expect(measured[25]).toBeGreaterThan(0.25); // the clock of the thread says 0
  expect(measured[25]).toBeLessThan(1);
});

test("a wait is no work", async () => {
  const workedMs = startWork();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(workedMs()).toBeLessThan(50);
});

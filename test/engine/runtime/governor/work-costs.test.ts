/** The clock for the processor time of work. */
import { expect, test } from "vitest";
import { startWork } from "../../../../src/engine/runtime/governor/work-costs.ts";

test("short work is measured, each time, and no more than the time that went by", () => {
  for (let count = 0; count < 51; count++) {
    const before = performance.now();
    const workedMs = startWork();
    const began = performance.now();
    const used = process.cpuUsage();
    const worked = (): number => {
      const { user, system } = process.cpuUsage(used);
      return Math.min((user + system) / 1_000, performance.now() - began);
    };
    while (worked() < 0.5);
    const measured = workedMs();
    expect(measured).toBeGreaterThanOrEqual(0.5); // the clock of the thread says 0
    expect(measured).toBeLessThanOrEqual(performance.now() - before);
  }
});

test("a wait is no work", async () => {
  const began = performance.now();
  const workedMs = startWork();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(workedMs()).toBeLessThan((performance.now() - began) / 2);
});

/**
 * Processor time, for tests that a slow machine must not fail: they compare a cost with another cost of the same machine,
 * never with milliseconds.
 */

/** The processor time of `run` in milliseconds: the least of some attempts, because other work adds time. */
export async function processorMs(run: () => unknown, attempts = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/** A measurement of less is noise. */
const leastMs = 5;

/**
 * What a unit costs at the size of `many`, as a multiple of its cost at the size of `few`: about 1 where cost grows with the
 * size, and `many / few` where it grows with its square. Both measurements do the same number of units.
 */
export async function unitGrowth(run: (size: number) => unknown, few: number, many: number): Promise<number> {
  const repeat = (size: number, times: number) => async () => {
    for (let count = 0; count < times; count++) await run(size);
  };
  const once = await processorMs(repeat(many, 1));
  const times = Math.ceil(leastMs / Math.max(once, leastMs / 1_000));
  const [small, large] = [repeat(few, Math.round((times * many) / few)), repeat(many, times)];
  await small(); // compiles
  const costs = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
  for (let round = 0; round < 5; round++) {
    costs[0] = Math.min(costs[0], await processorMs(small, 1));
    costs[1] = Math.min(costs[1], await processorMs(large, 1));
  }
  return costs[1] / costs[0];
}

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
 * size, and `many / few` where it grows with its square. Both measurements do the same number of units. They are repeated
 * until the result is below `bound`, up to five times.
 */
export async function unitGrowth(
  run: (size: number) => unknown,
  few: number,
  many: number,
  bound: number,
): Promise<number> {
  const repeat = (size: number, times: number) => async () => {
    for (let count = 0; count < times; count++) await run(size);
  };
  const once = await processorMs(repeat(many, 1), 1);
  const times = Math.ceil(leastMs / Math.max(once, leastMs / 1_000));
  const [small, large] = [repeat(few, Math.round((times * many) / few)), repeat(many, times)];
  await small(); // compiles
  return leastRatio(small, large, bound, 5);
}

/**
 * The cost of `large` as a multiple of that of `small`, or of `noiseMs` if `small` costs less. Both are measured until the
 * result is below `bound`, up to so many times: other work on the machine adds to either cost.
 */
export async function leastRatio(
  small: () => unknown,
  large: () => unknown,
  bound: number,
  attempts = 3,
  noiseMs = 0,
): Promise<number> {
  const costs = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
  let ratio = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && ratio >= bound; attempt++) {
    costs[0] = Math.min(costs[0], await processorMs(small, 1));
    costs[1] = Math.min(costs[1], await processorMs(large, 1));
    ratio = costs[1] / Math.max(costs[0], noiseMs);
  }
  return ratio;
}

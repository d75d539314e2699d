/**
 * Measures CPU time for tests that must also pass on a slow machine: they compare a cost with another cost on the same machine,
 * never with a fixed time.
 */

/** The CPU time of `run` in milliseconds: the minimum of several attempts, because other work on the machine adds time. */
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

/** Shorter measurements are noise. */
const leastMs = 5;

/**
 * The cost per unit at size `many` divided by the cost per unit at size `few`: about 1 if the cost is linear in the size, about
 * `many / few` if it is quadratic. Both measurements do the same number of units. They are repeated until the result is below
 * `bound`, up to five times.
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
 * result is below `bound`, at most a fixed number of times, because other work on the machine adds to either cost.
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

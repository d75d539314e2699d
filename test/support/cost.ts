/**
 * Measures CPU time for tests that must also pass on a slow machine: they compare a cost with another cost on the same machine,
 * never with a fixed time.
 */

/** The CPU time of `run` in milliseconds. Other work on the machine adds time, so this is the minimum of several attempts. */
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

/** Measurements must last at least this long, because shorter ones are noise. */
const leastMs = 5;

/**
 * The cost per unit at size `many` divided by the cost per unit at size `few`: about 1 if the cost is linear in the size, about
 * `many / few` if it is quadratic. Both measurements process the same number of units, and are repeated up to five times until
 * the result is below `bound`.
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
  const small = repeat(few, Math.round((times * many) / few));
  const large = repeat(many, times);
  await small(); // runs once before the measurement, so that V8 compiles the code
  return leastRatio(small, large, bound, 5);
}

/**
 * The cost of `large` divided by that of `small`, or by `noiseMs` if `small` costs less. Other work on the machine adds to both,
 * so the measurements are repeated a few times until the result is below `bound`.
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

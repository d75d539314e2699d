/**
 * The seed of this run's random cases. `npm test` takes the number of the day, so that all runs of a day use the same cases and
 * each day uses new ones; `npm run suite` uses a random seed. Both print it, and `SEED=…` repeats a run.
 */
export const seed = Number(process.env.SEED ?? Math.floor(Date.now() / 86_400_000));

/**
 * The seed of this run's random cases. `npm test` uses the number of the day, so that there are new cases each day, but all runs
 * of a day have the same; `npm run suite` uses a random seed. Both print it, and `SEED=…` repeats a run.
 */
export const seed = Number(process.env.SEED ?? Math.floor(Date.now() / 86_400_000));

/**
 * The seed of this run's random cases. `npm test` takes the number of the day, so that a day's runs agree and no cases are
 * drawn for ever; `npm run suite` takes a fresh one. Both print it, and `SEED=…` repeats a run.
 */
export const seed = Number(process.env.SEED ?? Math.floor(Date.now() / 86_400_000));

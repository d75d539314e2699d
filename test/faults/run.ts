/** Runs the rows, each in a world of its own, and looks through all that they showed for what must never be seen. */
import { canary } from "./proxy.ts";
import { type Outcome, type Row, rows, type Trial } from "./rows.ts";
import { key, openWorld } from "./world.ts";

export type Result = Pick<Row, "fault" | "criterion"> & Outcome;

/** Runs `only` these faults, or all of them. */
export async function runRows(
  trial: Trial,
  report: (result: Result) => void,
  only?: ReadonlySet<string>,
): Promise<Result[]> {
  const results: Result[] = [];
  let seen = 0;
  let looked = 0;
  const note = (result: Result): void => {
    results.push(result);
    report(result);
  };
  for (const { fault, criterion, environment, run } of rows) {
    if (only && !only.has(fault)) continue;
    const world = await openWorld(environment);
    try {
      note({ fault, criterion, ...(await run(world, trial)) });
    } finally {
      await world.close();
    }
    const shown = world.shown();
    looked += shown.length;
    for (const secret of [key, canary]) seen += shown.split(secret).length - 1;
  }
  const measured = `${seen} in ${looked >> 10} KiB of answers and of logs at debug level`;
  note({
    fault: "canary key and canary upstream body in every fault above",
    criterion: "0 occurrences",
    measured,
    pass: seen === 0,
  });
  return results;
}

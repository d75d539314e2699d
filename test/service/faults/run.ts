/** Runs the rows, each group in a world of its own, and looks through all that they showed for what must never be seen. */
import { canary } from "./proxy.ts";
import type { Outcome, Row, Trial } from "./row.ts";
import { groups } from "./rows.ts";
import { key, openPlatform, openWorld } from "./world.ts";

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
  const platform = await openPlatform();
  for (const group of groups) {
    const chosen = group.filter(({ fault }) => !only || only.has(fault));
    if (chosen.length === 0) continue;
    const world = await openWorld(platform.url, chosen[0]?.environment);
    try {
      for (const { fault, criterion, run } of chosen) {
        await world.calm();
        note({ fault, criterion, ...(await run(world, trial)) });
      }
    } finally {
      await world.close();
    }
    const shown = world.shown();
    looked += shown.length;
    for (const secret of [key, canary]) seen += shown.split(secret).length - 1;
  }
  await platform.close();
  const measured = `${seen} in ${looked >> 10} KiB of answers and of logs at debug level`;
  note({
    fault: "canary key and canary upstream body in every fault above",
    criterion: "0 occurrences",
    measured,
    pass: seen === 0,
  });
  return results;
}

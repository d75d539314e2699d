/**
 * The table of faults, less of each: `npm run suite -- faults` does more, holds a quiet machine to the criteria's times and
 * prints what it measured. Here the times are ten times as long, for a busy machine, and what fails gets a second
 * chance. A secret that was seen once, the last row, gets none.
 */
import { expect, test } from "vitest";
import { type Result, runRows } from "./run.ts";

const trial = { effort: 1, patience: 10 };

test("every fault meets its criterion", async () => {
  const first: Result[] = await runRows(trial, () => {});
  expect(first.length).toBeGreaterThan(12);
  expect(first.at(-1)).toMatchObject({ criterion: "0 occurrences", pass: true });
  const doubtful = new Set(first.filter(({ pass }) => !pass).map(({ fault }) => fault));
  const second = doubtful.size > 0 ? await runRows(trial, () => {}, doubtful) : [];
  expect(second.filter(({ pass }) => !pass)).toEqual([]);
});

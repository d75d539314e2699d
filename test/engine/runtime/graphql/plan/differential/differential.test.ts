/**
 * An operation has the same response from a plan as from graphql-js, errors and paths included. `npm run
 * suite -- differential` runs 10,000 cases of a fresh seed; `DIFFERENTIAL_CASES=100000` runs more of them.
 * `DIFFERENTIAL_CASE=123` runs one case and prints it.
 */
import { GraphQLError } from "graphql";
import { expect, onTestFinished, test } from "vitest";
import { seed } from "../../../../../support/seed.ts";
import { Cases } from "./cases.ts";
import { compareCase } from "./compare.ts";
import { printCase } from "./print-case.ts";

const { DIFFERENTIAL_CASES: wanted, DIFFERENTIAL_CASE: only } = process.env;
const count = Number(wanted ?? 1_000);

test(`${only ? 1 : count} random cases of seed ${seed}: a plan and graphql-js have the same response`, {
  timeout: 300_000 + count * 60,
}, async () => {
  ignoreAbandonedErrors();
  Error.stackTraceLimit = 0; // stack traces would take most of the time
  const cases = new Cases(seed);
  const counts = { planned: 0, failed: 0, reordered: 0 };
  const [from, to] = only ? [Number(only), Number(only) + 1] : [0, count];
  for (let index = from; index < to; index++) {
    const one = cases.get(index);
    const { kind, failed, reordered, difference } = await compareCase(one);
    if (difference || only) console.log(printCase(seed, one));
    if (difference) expect.fail(`case ${index} of seed ${seed}: ${difference}`);
    if (kind === "same") counts.planned++;
    if (failed) counts.failed++;
    if (reordered > 0) counts.reordered++;
  }
  console.log(`differential: seed ${seed}, ${JSON.stringify(counts)}`);
  if (only) return;
  // without these counts, a run without plans or failures would pass
  expect(counts.planned).toBeGreaterThan(count * 0.85);
  expect(counts.failed).toBeGreaterThan(count * 0.2);
  expect(counts.reordered).toBeLessThan(count * 0.1);
});

/**
 * graphql-js 16 abandons the promises of a list's earlier items when a later item fails at once, so no code handles their
 * rejections. A plan abandons no promise, so any other unhandled rejection still ends the run.
 */
function ignoreAbandonedErrors(): void {
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => {
    if (!(reason instanceof GraphQLError)) throw reason;
  });
  onTestFinished(() => {
    process.removeAllListeners("unhandledRejection");
    for (const listener of listeners) process.on("unhandledRejection", listener);
  });
}

/**
 * How the fuzz tests run: `FUZZ_CASES` cases of each kind (50; `npm run suite -- fuzz` makes it 5,000, 20,000 over the four)
 * one after another. fast-check shrinks a case that fails and prints it with the path that repeats it.
 */
import fc, { type Arbitrary } from "fast-check";
import { expect } from "vitest";
import { seed } from "../../support/seed.ts";

export const cases = Number(process.env.FUZZ_CASES ?? 50);

/** Milliseconds that one kind may take altogether. */
export const timeout = 300_000 + cases * 200;

/** What would have ended the process. GraphQL's own abandoned errors are let go by design (src/engine/server/unhandled-rejections.ts). */
const fatal: unknown[] = [];
process.on("uncaughtException", (error) => fatal.push(error));
process.on("unhandledRejection", (reason) => {
  if (!(reason instanceof Error && reason.name === "GraphQLError")) fatal.push(reason);
});

const plainKeys = Object.getOwnPropertyNames(Object.prototype).sort().join();

/**
 * Runs `check` on every case; none may take the process down or change what every object inherits. `reached` counts the ways
 * that a case may end. A few cases of some seeds reach not all of them, so more are drawn until each was reached.
 */
export async function fuzz<Case>(
  kind: string,
  arbitrary: Arbitrary<Case>,
  reached: Readonly<Record<string, number>>,
  check: (drawn: Case) => Promise<void>,
): Promise<void> {
  process.stderr.write(`fuzz: ${cases} cases of ${kind}, SEED=${seed}\n`);
  const property = fc.asyncProperty(arbitrary, async (drawn) => {
    await check(drawn);
    expect(fatal).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(plainKeys);
  });
  const isReached = (): boolean => Object.values(reached).every((count) => count > 0);
  for (let round = 0; round === 0 || (round < 20 && !isReached()); round++)
    await fc.assert(property, { numRuns: cases, seed: seed + round });
  expect(Object.entries(reached).filter(([, count]) => count === 0)).toEqual([]);
}

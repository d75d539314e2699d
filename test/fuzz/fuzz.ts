/**
 * How the fuzz tests run: `FUZZ_CASES` cases of each kind (50; `npm run suite -- fuzz` makes it 5,000, 20,000 over the four)
 * from `FUZZ_SEED`, one after another. fast-check shrinks a case that fails and prints it with the path that repeats it.
 */
import fc, { type Arbitrary } from "fast-check";
import { expect } from "vitest";

export const cases = Number(process.env.FUZZ_CASES ?? 50);
export const seed = Number(process.env.FUZZ_SEED ?? 1);

/** Milliseconds that one kind may take altogether. */
export const timeout = 300_000 + cases * 200;

/** What would have ended the process. GraphQL's own abandoned errors are let go by design (src/engine/process/unread-rejections.ts). */
const fatal: unknown[] = [];
process.on("uncaughtException", (error) => fatal.push(error));
process.on("unhandledRejection", (reason) => {
  if (!(reason instanceof Error && reason.name === "GraphQLError")) fatal.push(reason);
});

const plainKeys = Object.getOwnPropertyNames(Object.prototype).sort().join();

/** Runs `check` on every case; none may take the process down or change what every object inherits. */
export async function fuzz<Case>(
  kind: string,
  arbitrary: Arbitrary<Case>,
  check: (drawn: Case) => Promise<void>,
): Promise<void> {
  process.stderr.write(`fuzz: ${cases} cases of ${kind}, FUZZ_SEED=${seed}\n`);
  const property = fc.asyncProperty(arbitrary, async (drawn) => {
    await check(drawn);
    expect(fatal).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(plainKeys);
  });
  await fc.assert(property, { numRuns: cases, seed });
}

/** Work that waits for its caller's turn. */
import { expect, test } from "vitest";
import { CallerTurns } from "../../../src/engine/rest/shares/caller-turns.ts";

/** Starts work that ends when the test says so, and notes what has begun. */
function openTurns(most: number) {
  const turns = new CallerTurns(most);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const start = (caller: string, work: string) =>
    turns.run(caller, () => {
      begun.push(work);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const endNext = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { turns, begun, start, endNext };
}

test("so many run at the same time, and callers take turns", async () => {
  const { begun, start, endNext } = openTurns(2);
  for (const work of ["a1", "a2", "a3", "a4", "a5"]) void start("a", work);
  for (const work of ["b1", "b2"]) void start("b", work);
  expect(begun).toEqual(["a1", "a2"]);
  for (let ended = 0; ended < 5; ended++) await endNext();
  expect(begun).toEqual(["a1", "a2", "a3", "b1", "a4", "b2", "a5"]);
});

test("work that fails gives its place back", async () => {
  const { turns } = openTurns(1);
  const fail = () => turns.run("a", () => Promise.reject(new Error("fails")));
  await Promise.allSettled([fail(), fail()]);
  expect(await turns.run("b", async () => "done")).toBe("done");
});

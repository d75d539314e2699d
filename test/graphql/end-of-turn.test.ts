/** The end of a turn of the event loop: all that wait for it go on together, after the data of the turn. */
import { expect, test } from "vitest";
import { endOfTurn } from "../../src/graphql/end-of-turn.ts";

test("those who wait in one turn go on together, and the next turn has an end of its own", async () => {
  const first = endOfTurn();
  expect(endOfTurn()).toBe(first);
  const order: string[] = [];
  process.nextTick(() => order.push("the turn's work"));
  await Promise.all([first.then(() => order.push("one")), first.then(() => order.push("other"))]);
  expect(order).toEqual(["the turn's work", "one", "other"]);
  expect(endOfTurn()).not.toBe(first);
});

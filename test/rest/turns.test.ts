/** Whose turn it is at an upstream's connections. */
import { expect, test } from "vitest";
import { type Line, Turns } from "../../src/rest/turns.ts";

const told: string[] = [];
const call = (name: string) => ({ waits: false, turn: () => void told.push(name) });
const enter = (line: Line, ...calls: ReturnType<typeof call>[]) => calls.map((one) => line.enter(one));

test("beyond its share a caller's calls get their turns in the order they came, but for those that left", () => {
  const turns = new Turns(4, 2);
  const line = turns.line("a");
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(call) as [never, never, never, never, never];
  expect(enter(line, a, b, c, d, e)).toEqual([true, true, false, false, false]);
  expect(turns.line("b").enter(call("other"))).toBe(true);
  line.leave(c);
  line.leave(b);
  expect(told).toEqual(["d"]);
  line.leave(d);
  expect(told).toEqual(["d", "e"]);
  expect(turns.line("a")).toBe(line);
  line.leave(e);
  line.leave(a);
  expect(turns.line("a")).not.toBe(line); // nothing of it is kept
});

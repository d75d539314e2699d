/** What a `TransientMap` held is collected with the young generation, and its keys are swept. */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { TransientMap } from "../../../../src/engine/runtime/governor/transient-map.ts";

setFlagsFromString("--expose-gc");
setFlagsFromString("--no-allocation-site-pretenuring"); // as the program does: what a `Map` keeps must not set where others go
const collect = runInNewContext("gc") as (options?: { type: "minor" }) => void;

type Values = {
  set(key: string, value: object): unknown;
  delete(key: string): unknown;
};

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")?.space_used_size ?? 0;

/** Bytes that reach the old generation while 60,000 values come and go, 50 of them at a time. */
function promotedBy(values: Values): number {
  const churn = (from: number, to: number): void => {
    for (let count = from; count < to; count++) {
      values.set(`key ${count % 100}`, { of: new Array(50).fill(count) });
      values.delete(`key ${(count + 50) % 100}`);
      if (count % 500 === 0) collect({ type: "minor" });
    }
  };
  churn(0, 5_000);
  collect();
  const before = oldBytes();
  churn(5_000, 65_000);
  return oldBytes() - before;
}

test("values that come and go leave nothing in the old generation, unlike those of a `Map`", () => {
  const ofTransient = promotedBy(new TransientMap<object>());
  const ofMap = promotedBy(new Map<string, object>());
  expect(ofMap).toBeGreaterThan(1_000_000); // if this fails, V8 has mended its tables, and a `Map` will do
  expect(ofTransient).toBeLessThan(ofMap / 3);
});

test("a key is found until it is deleted, and again when it is set again", () => {
  const map = new TransientMap<number>();
  map.set("a", 1);
  map.set("b", 0);
  expect([map.get("a"), map.get("b"), map.get("c"), map.has("b"), map.size]).toEqual([
    1,
    0,
    undefined,
    true,
    2,
  ]);
  map.delete("a");
  map.delete("a");
  map.delete("c");
  expect([map.get("a"), map.has("a"), map.size]).toEqual([undefined, false, 1]);
  map.set("a", 2);
  map.set("a", 3);
  expect([map.get("a"), map.size]).toEqual([3, 2]);
});

test("deleted keys are swept, and the others stay", () => {
  const map = new TransientMap<number>();
  map.set("kept", 1);
  const long = "x".repeat(10_000);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 5_000; count++) {
    const key = Buffer.from(`${count}${long}`).toString("latin1");
    map.set(key, count);
    map.delete(key);
  }
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(25_000_000); // 50 MB without a sweep
  expect([map.get("kept"), map.size]).toEqual([1, 1]);
});

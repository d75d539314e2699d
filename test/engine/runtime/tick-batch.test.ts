/** Work that becomes ready in one tick runs together, and no item affects another. */
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTick } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { TickBatch } from "../../../src/engine/runtime/tick-batch.ts";
import { block } from "./block.ts";

test("items of one tick run together at its end, in order, and items added meanwhile run in the next tick", async () => {
  const ran: number[] = [];
  const batch: TickBatch<number> = new TickBatch((item) => {
    ran.push(item);
    if (item === 1) batch.add(3);
  });
  batch.add(1);
  batch.add(2);
  expect(ran).toEqual([]);
  await nextTick();
  expect(ran).toEqual([1, 2]);
  await nextTick();
  expect(ran).toEqual([1, 2, 3]);
});

test("an item that throws fails alone, as an uncaught exception", async () => {
  const uncaught: unknown[] = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => uncaught.push(error));
  onTestFinished(() => {
    process.removeAllListeners("uncaughtException");
    for (const listener of listeners) process.on("uncaughtException", listener);
  });
  const ran: number[] = [];
  const failure = new Error("the second item");
  const batch = new TickBatch<number>((item) => {
    if (item === 2) throw failure;
    ran.push(item);
  });
  for (const item of [1, 2, 3]) batch.add(item);
  await nextTick();
  await nextTick();
  expect([ran, uncaught]).toEqual([[1, 3], [failure]]);
});

test("a flush that takes long yields to timers, and goes on in order", async () => {
  const order: string[] = [];
  const batch = new TickBatch<string>((item) => {
    order.push(item);
    block(12);
  });
  for (const item of ["a", "b", "c"]) batch.add(item);
  setTimeout(() => order.push("timer"), 1);
  await expect.poll(() => order.length).toBe(4);
  expect(order.indexOf("timer")).toBeLessThan(order.indexOf("c"));
  expect(order.filter((item) => item !== "timer")).toEqual(["a", "b", "c"]);
});

test("each item runs in the async context of its add", async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const batch = new TickBatch<number>(() => void seen.push(storage.getStore()));
  storage.run("one", () => batch.add(1));
  batch.add(2);
  storage.run("three", () => batch.add(3));
  await nextTick();
  expect(seen).toEqual(["one", undefined, "three"]);
});

/** The order in which calls get their turns at an upstream's connections. */
import { expect, test } from "vitest";
import {
  type CallerQueue,
  CallerQueues,
  type QueueEntry,
} from "../../../src/engine/rest/upstream/caller-queues.ts";

const acquire = (queue: CallerQueue, count: number): QueueEntry[] =>
  Array.from({ length: count }, () => queue.acquire());

test("a caller's calls beyond its share start in the order of their arrival, without those that left", async () => {
  const queues = new CallerQueues(4, 2);
  const queue = queues.of("a");
  const entries = acquire(queue, 5) as [QueueEntry, QueueEntry, QueueEntry, QueueEntry, QueueEntry];
  const turns: number[] = [];
  for (const [index, { turn }] of entries.entries()) turn?.then(() => turns.push(index));
  const waiting = (): boolean[] => entries.map(({ isWaiting }) => isWaiting);
  expect(waiting()).toEqual([false, false, true, true, true]);
  expect(queues.of("b").acquire().isWaiting).toBe(false);
  const [first, second, third, fourth, fifth] = entries;
  queue.release(third, false);
  queue.release(second, false);
  expect(waiting().slice(3)).toEqual([false, true]);
  queue.release(fourth, false);
  queue.release(fifth, false);
  await Promise.resolve();
  expect(turns).toEqual([3, 4]);
  expect(queues.of("a")).toBe(queue);
  queue.release(first, false);
  expect(queues.of("a")).not.toBe(queue); // nothing of it is kept
});

test("a queue has progressed when it completed as many calls since the last check as it has connections", () => {
  const queue = new CallerQueues(4, 2).of("a");
  const entries = acquire(queue, 6);
  const release = (index: number, isCompleted: boolean): void =>
    queue.release(entries[index] as QueueEntry, isCompleted);
  const [third, last] = [entries[2] as QueueEntry, entries[5] as QueueEntry];
  release(0, true);
  expect([third.isWaiting, third.hasProgressed(), third.hasProgressed()]).toEqual([false, true, false]);
  release(1, true);
  expect([last.isWaiting, last.hasProgressed(), last.hasProgressed()]).toEqual([true, true, false]);
  release(2, false); // a call without a response is no progress
  release(3, true);
  expect([last.isWaiting, last.hasProgressed()]).toEqual([false, true]); // a turn is progress
  release(4, true);
  expect(last.hasProgressed()).toBe(false); // one of the pool's four connections
});

/** Deadlines in the time that the process has run. */
import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { Deadline } from "../../../src/engine/runtime/deadline.ts";
import { block } from "./block.ts";

test.each([0, 100, 600])("a deadline expires after %i ms, once", async (ms) => {
  const began = performance.now();
  const expiry = vi.fn();
  new Deadline(ms, expiry);
  await expect.poll(() => expiry.mock.calls.length, { interval: 1 }).toBe(1);
  expect(performance.now() - began).toBeGreaterThan(ms - 2);
  await sleep(50);
  expect(expiry).toHaveBeenCalledOnce();
});

test("what came during a pause is read before a deadline expires", async () => {
  const server = net.createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const socket = net.connect((server.address() as net.AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const [[peer]] = (await Promise.all([once(server, "connection"), once(socket, "connect")])) as [
    [net.Socket],
    [],
  ];
  const order: string[] = [];
  socket.on("data", () => order.push("data"));
  const { promise, resolve } = Promise.withResolvers<void>();
  new Deadline(50, () => {
    order.push("expiry");
    resolve();
  });
  peer.write("data");
  block(100);
  await promise;
  expect(order).toEqual(["data", "expiry"]);
});

test("a pause counts as half a second at most", async () => {
  const expiry = vi.fn();
  const deadline = new Deadline(1_000, expiry);
  onTestFinished(() => deadline.clear());
  block(1_500);
  expect(deadline.leftMs).toBeCloseTo(500);
  await sleep(100);
  expect(expiry).not.toHaveBeenCalled();
  await expect.poll(() => expiry.mock.calls.length).toBe(1);
  expect(deadline.leftMs).toBeLessThan(2);
});

test("a deadline that is cleared in its last turn does not expire", async () => {
  const expiry = vi.fn();
  const deadline = new Deadline(20, expiry);
  setTimeout(() => deadline.clear(), 20);
  block(50); // both timers run in one turn
  await sleep(50);
  expect(expiry).not.toHaveBeenCalled();
});

test("a deadline that is started again expires once, after its new time", async () => {
  const expiry = vi.fn();
  const began = performance.now();
  const deadline = new Deadline(100, expiry);
  await sleep(50);
  deadline.restart(300);
  await expect.poll(() => expiry.mock.calls.length, { interval: 1 }).toBe(1);
  expect(performance.now() - began).toBeGreaterThan(348);
});

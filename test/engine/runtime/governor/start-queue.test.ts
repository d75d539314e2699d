/**
 * While the event loop is busy, few requests are executed at a time. They keep their order, callers share the places, and
 * no request is executed after its client has left.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { PresentCallers } from "../../../../src/engine/runtime/governor/caller.ts";
import { StartQueue } from "../../../../src/engine/runtime/governor/start-queue.ts";
import { executedAtOnce as most } from "../../../../src/engine/runtime/settings/capacity.ts";
import { inFrontOf, me, send } from "../graphql/rest-stand-in.ts";
import { alone } from "./alone.ts";

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function withLoop(utilization: number): void {
  const spy = vi
    .spyOn(performance, "eventLoopUtilization")
    .mockReturnValue({ utilization, active: 1, idle: 1 });
  onTestFinished(() => spy.mockRestore());
}

const callers = new PresentCallers();

/** Requests enter, each of a caller of its own unless one is given. Returns their places, and those that have begun. */
function entering(queue: StartQueue, requests: readonly number[], caller?: string, begun: number[] = []) {
  const places = requests.map((request) =>
    queue.place(callers.enter(caller ?? `caller ${request}`), () => begun.push(request)),
  );
  for (const place of places) queue.enter(place);
  return { places, begun };
}

describe("while the event loop is busy", () => {
  test("a bounded number of requests is executed, and the next ones start in order when others end", async () => {
    withLoop(1);
    const { places, begun } = entering(new StartQueue(), upTo(most + 24));
    await nextTurn();
    expect(begun).toEqual(upTo(most));
    for (const ended of [3, 5, 7, 7]) places[ended]?.leave();
    await nextTurn();
    expect(begun).toEqual(upTo(most + 3));
  });

  test("a later request does not overtake waiting requests", async () => {
    withLoop(1);
    const queue = new StartQueue();
    const { places, begun } = entering(queue, upTo(most + 1));
    await nextTurn();
    places[0]?.leave();
    entering(queue, [most + 1], undefined, begun);
    await nextTurn();
    expect(begun).toEqual(upTo(most + 1));
  });

  test("a request that waits for its caller's share frees its place, once for several waits", async () => {
    withLoop(1);
    const queue = new StartQueue();
    const { places, begun } = entering(queue, upTo(most + 2));
    const [place] = places;
    for (const pauses of [1, 2]) {
      place?.pause();
      await nextTurn();
      expect([pauses, begun.length]).toEqual([pauses, most + 1]);
    }
    place?.resume();
    expect(queue.executing.used).toBe(most);
    place?.resume();
    expect(queue.executing.used).toBe(most + 1);
    for (const each of places) each.leave();
    expect(queue.executing.used).toBe(0);
  });

  test("a request that leaves while it waits for its caller's share gives no place back twice", async () => {
    withLoop(1);
    const queue = new StartQueue();
    const { places } = entering(queue, upTo(2));
    places[0]?.pause();
    places[0]?.leave();
    places[0]?.resume();
    expect(queue.executing.used).toBe(1);
  });

  test("a request that leaves while it waits never starts", async () => {
    withLoop(1);
    const { places, begun } = entering(new StartQueue(), upTo(most + 2));
    await nextTurn();
    for (const left of [most, 0, 1]) places[left]?.leave();
    await nextTurn();
    expect(begun).toEqual([...upTo(most), most + 1]);
  });

  test("a caller whose requests take all places holds up no other", async () => {
    withLoop(1);
    const queue = new StartQueue();
    entering(queue, upTo(200), "busy caller");
    const { begun } = entering(queue, [1], "other caller");
    await nextTurn();
    expect(begun).toEqual([1]);
  });
});

test("while the event loop has time to spare, all requests start", async () => {
  withLoop(0.5);
  const { begun } = entering(new StartQueue(), upTo(200));
  await expect.poll(() => begun).toEqual(upTo(200));
});

test("two requests start in a turn that accepts a connection", async () => {
  withLoop(1);
  const queue = new StartQueue();
  queue.connected();
  const { begun } = entering(queue, upTo(most + 4));
  expect(queue.executing.used).toBe(2);
  await nextTurn();
  await nextTurn();
  expect(begun).toEqual(upTo(most));
});

test("a request that leaves between its start and the end of the tick is not executed, and frees its place", async () => {
  const queue = new StartQueue();
  const { places, begun } = entering(queue, upTo(3));
  places[1]?.leave();
  expect(queue.executing.used).toBe(2);
  await nextTurn();
  expect(begun).toEqual([0, 2]);
});

test("a request whose client leaves the queue makes no REST call", async () => {
  withLoop(1);
  const calls: string[] = [];
  const { promise: open, resolve: answer } = Promise.withResolvers<void>();
  const { post, server } = await inFrontOf(async (request, response) => {
    calls.push(String(request.headers["x-api-key"]));
    await open;
    send(response, me);
  });
  const places = alone(most); // REST has accepted no key: all are one caller
  const leaving = new AbortController();
  const ask = (key: string, signal?: AbortSignal) =>
    post("{ me { id } }", {
      headers: { "content-type": "application/json", "x-api-key": key },
      ...(signal && { signal }),
    });
  const first = upTo(places).map((index) => ask(`key ${index}`));
  await expect.poll(() => calls.length).toBe(places);
  const waits = once(server.server, "request") as Promise<[unknown, ServerResponse]>;
  const left = ask("left", leaving.signal).catch(() => "left");
  const [, abandoned] = await waits;
  await nextTurn();
  leaving.abort();
  await once(abandoned, "close");
  expect(await left).toBe("left");
  const last = ask("last");
  answer();
  for (const response of [...first, last]) expect((await response).status).toBe(200);
  expect(calls.slice(places)).toEqual(["last"]);
});

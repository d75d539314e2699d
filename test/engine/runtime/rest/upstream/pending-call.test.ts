/** A call and its deadlines: in its caller's queue, in the pool, on its connection, and after it is abandoned. */
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { CodedError } from "../../../../../src/engine/runtime/coded-error.ts";
import { PresentCallers } from "../../../../../src/engine/runtime/governor/caller.ts";
import { FairSemaphore } from "../../../../../src/engine/runtime/governor/fair-semaphore.ts";
import { Exchange } from "../../../../../src/engine/runtime/rest/upstream/exchange.ts";
import { PendingCall } from "../../../../../src/engine/runtime/rest/upstream/pending-call.ts";
import { block } from "../../block.ts";
import { freeBudget } from "../../graphql/free-scope.ts";
import { type Answer, http, rawServer } from "../raw-server.ts";

/** Makes calls as an upstream does: a place in the queue, an exchange, deadlines. */
async function against(answer: Answer, connections = 4) {
  const server = await rawServer(answer);
  const pool = new Pool(server.url.origin, { connections, pipelining: 1 });
  onTestFinished(() => pool.destroy());
  const callers = new PresentCallers();
  const places = new FairSemaphore(connections);
  const call = (given: { callMs?: number; connectMs?: number } = {}, caller = "caller") => {
    const exchange = new Exchange(freeBudget, true);
    const send = () => exchange.send(pool, { method: "GET", path: "/x", headers: {}, body: undefined });
    const timeouts = { connectMs: 1_000, callMs: 2_000, ...given };
    const pending = new PendingCall(callers.enter(caller), places, { exchange, timeouts, send });
    exchange.response.then(
      () => pending.end(true),
      () => pending.end(false),
    );
    return { response: exchange.response, pending };
  };
  return { server, pool, call };
}

const failureOf = (response: Promise<unknown>): Promise<unknown> => response.catch((error: unknown) => error);
const left = () => new CodedError("CLIENT_CLOSED_REQUEST", "left");

test("a call without a response fails at its deadline, and its socket is closed", async () => {
  const { call, server } = await against(() => {});
  const began = performance.now();
  expect(await failureOf(call({ callMs: 300 }).response)).toMatchObject({ code: "UPSTREAM_TIMEOUT" });
  expect(performance.now() - began).toBeGreaterThan(290);
  expect(performance.now() - began).toBeLessThan(10_000);
  await expect.poll(server.open).toBe(0);
});

test("a call whose response trickles fails at its deadline, which is not the connect timeout", async () => {
  const { call, server } = await against((socket) => {
    socket.write(http(200, "", { "content-length": "500" }));
    const drip = setInterval(() => socket.write(" "), 20);
    socket.once("close", () => clearInterval(drip));
  });
  const began = performance.now();
  const failure = await failureOf(call({ callMs: 300, connectMs: 100 }).response);
  expect(failure).toMatchObject({ code: "UPSTREAM_TIMEOUT", message: "no answer in time" });
  expect(performance.now() - began).toBeGreaterThan(290);
  await expect.poll(server.open).toBe(0);
});

test("a response that came while the process was paused is taken", async () => {
  const { call } = await against((socket) => {
    socket.write(http(200, "{}"));
    block(450);
  });
  expect((await call({ callMs: 400, connectMs: 400 }).response).status).toBe(200);
});

test("a connection that was made while the process was paused is used", async () => {
  const { call } = await against((socket) => void socket.write(http(200, "{}")));
  const { response } = call({ connectMs: 300 });
  block(400);
  expect((await response).status).toBe(200);
});

test("the wait for a free connection counts against the connect timeout, and nothing is sent later", async () => {
  const { call, server } = await against(() => {}, 1);
  const first = failureOf(call({ callMs: 400 }).response);
  expect(await failureOf(call({ connectMs: 150 }).response)).toMatchObject({
    message: "no connection in time",
  });
  await first;
  await sleep(100);
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["of its caller", () => "caller"],
  ["of all callers", (call: number) => `caller ${call}`],
])("while calls %s progress, a call waits for its turn up to its deadline", async (_whose, callerOf) => {
  const { call } = await against((socket) => void setTimeout(() => socket.write(http(200, "{}")), 250), 1);
  // nine calls of 250 ms are before the last one, so its deadline comes before its turn
  const timeoutsOf = (index: number) => ({ connectMs: 1_000, callMs: index === 9 ? 1_900 : 10_000 });
  const calls = Array.from({ length: 10 }, (_, index) => call(timeoutsOf(index), callerOf(index)).response);
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.slice(0, 9).map((outcome) => outcome.status)).not.toContain("rejected");
  expect(outcomes.at(-1)).toMatchObject({ reason: { message: "no connection in time" } });
});

test("5,000 queued calls fail one after the other when the pool is destroyed", async () => {
  const { call, pool } = await against(() => {}, 1);
  const failures = Promise.all(Array.from({ length: 5_000 }, () => failureOf(call({}).response)));
  await pool.destroy();
  expect(new Set((await failures).map((failure) => (failure as CodedError).code))).toEqual(
    new Set(["UPSTREAM_UNAVAILABLE"]),
  );
});

test("a call that is abandoned before it has a connection fails at once, and is never sent", async () => {
  const { call, server } = await against(() => {}, 1);
  const first = failureOf(call({ callMs: 300 }).response);
  const second = call();
  second.pending.abandon(left());
  expect(await failureOf(second.response)).toMatchObject({ code: "CLIENT_CLOSED_REQUEST" });
  await first;
  await sleep(100);
  expect(server.requests).toHaveLength(1);
});

test("the socket of an abandoned read is closed before its deadline", async () => {
  const { call, server } = await against(() => {});
  const { response, pending } = call({ callMs: 60_000 });
  const failure = failureOf(response);
  await expect.poll(() => server.requests.length).toBe(1);
  const before = performance.now();
  pending.abandon(left());
  expect(await failure).toMatchObject({ code: "CLIENT_CLOSED_REQUEST" });
  await expect.poll(server.open).toBe(0);
  expect(performance.now() - before).toBeLessThan(10_000);
});

test("an abandoned read that has its response soon leaves its connection to the next call", async () => {
  const sockets = new Set<Socket>();
  const released = Promise.withResolvers<void>();
  const { call, server } = await against((socket) => {
    sockets.add(socket);
    released.promise.then(() => socket.write(http(200, "{}")));
  }, 1);
  const { response, pending } = call();
  await expect.poll(() => server.requests.length).toBe(1);
  pending.abandon(left());
  released.resolve();
  expect((await response).status).toBe(200);
  await call().response;
  expect([sockets.size, server.requests.length]).toEqual([1, 2]);
});

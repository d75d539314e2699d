/** The end of a request: its client leaves, or its deadline passes. */
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { against, failureOf, ok, status } from "./client.ts";
import { http } from "./raw-server.ts";

describe("a client that leaves", () => {
  test("aborts its reads and starts no more; its mutation goes on", async () => {
    const { rest, server, upstreams } = await against((socket, text) => {
      if (text.startsWith("POST")) setTimeout(() => socket.write(http(200, '{"made":true}')), 200);
    });
    const read = failureOf(rest.get("/things"));
    const mutation = rest.post("/things", { body: {} });
    await expect.poll(() => server.requests.length).toBe(2);
    rest.leave();
    expect((await read).code).toBe("CLIENT_CLOSED_REQUEST");
    expect((await failureOf(rest.get("/things", { query: { q: 1 } }))).code).toBe("CLIENT_CLOSED_REQUEST");
    expect(await mutation).toEqual({ made: true });
    await expect.poll(() => upstreams.callsInFlight).toBe(0);
    expect(server.requests).toHaveLength(2);
  });

  test("leaves the connection of its read to the next one, which gets nothing of the response", async () => {
    const released = Promise.withResolvers<void>();
    const sockets = new Set<Socket>();
    const { request, server, upstreams } = await against((socket, _text, count) => {
      sockets.add(socket);
      const answer = http(200, JSON.stringify({ count, much: "x".repeat(500_000) }), {
        "cache-control": "max-age=60",
      });
      socket.write(answer.slice(0, 1_000));
      void released.promise.then(() => socket.write(answer.slice(1_000)));
    });
    const leaving = request();
    const read = failureOf(leaving.get("/things"));
    await expect.poll(() => server.requests.length).toBe(1);
    leaving.close();
    expect((await read).code).toBe("CLIENT_CLOSED_REQUEST");
    released.resolve();
    await expect.poll(() => upstreams.callsInFlight).toBe(0);
    expect(upstreams.shares.bytes.used).toBe(0);
    expect(await request().get("/things")).toMatchObject({ count: 2 });
    expect(sockets.size).toBe(1);
  });

  test("ends the wait for a retry", async () => {
    const { rest, server } = await against(status(429, { "retry-after": "1" }));
    const read = failureOf(rest.get("/things"));
    await expect.poll(() => server.requests.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    rest.leave();
    expect((await read).code).toBe("CLIENT_CLOSED_REQUEST");
  });

  test("ends the wait for its fair share, before its start and for a response", async () => {
    const { request, upstreams, server } = await against(ok({}));
    const { processor } = upstreams.shares;
    const waiting = request();
    const reading = request();
    processor.enter("other");
    processor.charge(processor.enter("key"), 1_000); // 2 s of debt
    const start = failureOf(Promise.resolve(waiting.turn()));
    const read = failureOf(reading.get("/things"));
    await expect.poll(() => [server.requests.length, upstreams.callsInFlight]).toEqual([1, 0]);
    for (const one of [waiting, reading]) one.leave();
    const codes = Promise.all([start, read]).then((failures) => failures.map(({ code }) => code));
    expect(await codes).toEqual(["CLIENT_CLOSED_REQUEST", "CLIENT_CLOSED_REQUEST"]);
  });

  test("leaves no rejection behind when its read's response comes late and its caller is in debt", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const late = Promise.withResolvers<void>();
    const { request, upstreams, server } = await against((socket) => {
      void late.promise.then(() => socket.write(http(200, "{}")));
    });
    const { processor } = upstreams.shares;
    const leaving = request();
    processor.enter("other");
    processor.charge(processor.enter("key"), 1_000); // 2 s of debt
    const read = failureOf(leaving.get("/things"));
    await expect.poll(() => server.requests.length).toBe(1);
    leaving.leave(); // the read lingers on its connection
    late.resolve();
    expect((await read).code).toBe("CLIENT_CLOSED_REQUEST");
    await expect.poll(() => upstreams.callsInFlight).toBe(0);
    leaving.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).toEqual([]);
  });
});

test("a request that ends starts no timer for the reads that have ended", async () => {
  const { rest } = await against(ok({}));
  await Promise.all(["1", "2", "3"].map((q) => rest.get("/things", { query: { q } })));
  const started = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => started.mockRestore());
  rest.close();
  expect(started).not.toHaveBeenCalled();
});

test("a request's deadline ends its last REST call", async () => {
  const began = performance.now();
  const { rest } = await against(() => {}, { REQUEST_TIMEOUT_MS: "400", CALL_TIMEOUT_MS: "60000" });
  expect((await failureOf(rest.get("/things"))).code).toBe("UPSTREAM_TIMEOUT");
  expect(performance.now() - began).toBeGreaterThan(380);
  expect(performance.now() - began).toBeLessThan(10_000);
});

/** The circuit breaker of an upstream, as the REST client sees it, on a clock that the test moves. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { against, failureOf, ok, status } from "../client.ts";
import { type Answer, http } from "../raw-server.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

describe("the circuit breaker", () => {
  test("opens after five failures in a row, refuses calls, and tries again with one call at a time", async () => {
    const state = { isUp: false };
    const { request, server } = await against((socket, text, count) =>
      (state.isUp ? ok({}) : status(503))(socket, text, count),
    );
    for (let call = 0; call < 5; call++) await failureOf(request().post("/things", { body: {} }));
    const refused = Array.from({ length: 50 }, () => failureOf(request().get("/things")));
    for (const failure of refused) expect((await failure).code).toBe("UPSTREAM_UNAVAILABLE");
    expect(server.requests).toHaveLength(5);
    for (const [pause, trials] of [
      [100, 1],
      [100, 1],
      [100, 2],
    ] as const) {
      vi.advanceTimersByTime(pause);
      await Promise.all([1, 2, 3].map(() => failureOf(request().get("/things"))));
      expect(server.requests).toHaveLength(5 + trials);
    }
    state.isUp = true;
    vi.advanceTimersByTime(400);
    expect(await request().get("/things")).toEqual({});
  });

  test.each<[string, Answer]>([
    ["did wrong", status(400)],
    ["brings a bug to light with", status(500)],
    ["has too much of", (socket) => socket.write(http(200, JSON.stringify("a".repeat(2_000))))],
  ])("is not opened by what one caller %s", async (_what, answer) => {
    const { request, server } = await against(answer, { MAX_RESPONSE_BYTES: "1000" });
    for (let call = 0; call < 20; call++) await failureOf(request().post("/things", { body: {} }));
    expect(server.requests).toHaveLength(20);
  });

  test("forgets its failures at a success", async () => {
    const { request, server } = await against((socket, text, count) =>
      (server.requests.length % 5 === 0 ? ok({}) : status(503))(socket, text, count),
    );
    for (let call = 0; call < 20; call++)
      await request()
        .post("/things", { body: {} })
        .catch(() => undefined);
    expect(server.requests).toHaveLength(20);
  });

  test("counts each of the calls that fail together", async () => {
    const { request, server } = await against(status(504));
    await Promise.all([1, 2, 3, 4, 5].map((q) => failureOf(request().get("/things", { query: { q } }))));
    expect(server.requests).toHaveLength(5);
    expect((await failureOf(request().get("/things"))).code).toBe("UPSTREAM_UNAVAILABLE");
    expect(server.requests).toHaveLength(5);
  });

  test("counts an exchange once, however many fields share it", async () => {
    const { rest, server } = await against(status(504));
    await Promise.allSettled(Array.from({ length: 20 }, () => rest.get("/things")));
    await failureOf(rest.get("/things"));
    expect(server.requests).toHaveLength(2);
  });

  test("of one product does not affect the others", async () => {
    const { request, server } = await against((socket, text, count) =>
      (text.includes("/others") ? ok({ fine: true }) : status(504))(socket, text, count),
    );
    for (let call = 0; call < 8; call++) await failureOf(request().get("/things"));
    expect(server.requests.length).toBeLessThan(8);
    expect(await request().get("/others")).toEqual({ fine: true });
  });

  test("refuses calls while the one call that tries again is under way", async () => {
    const state = { hangs: false };
    const { request } = await against((socket, text, count) => {
      if (!state.hangs) status(504)(socket, text, count);
    });
    for (let call = 0; call < 5; call++) await failureOf(request().get("/things"));
    state.hangs = true;
    vi.advanceTimersByTime(100);
    const trying = failureOf(request().get("/things"));
    const first = Promise.race([trying, failureOf(request().get("/things"))]);
    expect((await first).code).toBe("UPSTREAM_UNAVAILABLE");
    expect((await trying).code).toBe("UPSTREAM_TIMEOUT");
  });
});

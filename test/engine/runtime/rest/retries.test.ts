/** The retries of reads that fail: which, when, and how many. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { against, failureOf, ok, status } from "./client.ts";
import { type Answer, http } from "./raw-server.ts";

describe("a retry", () => {
  const failFirst =
    (failure: Answer): Answer =>
    (socket, request, count) =>
      count === 1 ? failure(socket, request, count) : ok({ fine: true })(socket, request, count);

  test.each<[string, Answer]>([
    ["500", status(500)],
    ["502", status(502)],
    ["503", status(503)],
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["a body cut off", (socket) => socket.end(http(200, "{", { "content-length": "9" }))],
  ])("is made once for a read that met %s", async (_name, failure) => {
    const { rest, server } = await against(failFirst(failure));
    expect(await rest.get("/things")).toEqual({ fine: true });
    expect(server.requests).toHaveLength(2);
    const { rest: other, server: down } = await against(failure);
    await failureOf(other.get("/things"));
    expect(down.requests).toHaveLength(2);
  });

  test("is made once for all fields that share the read, whatever is left of the retry budget", async () => {
    const { request, server } = await against((socket, text, count) =>
      (text.startsWith("GET /things/") ? ok({}) : status(503))(socket, text, count),
    );
    for (let read = 0; read < 40; read++)
      await request().get("/things/{thingId}", { path: { thingId: "1" } });
    server.requests.length = 0;
    const rest = request();
    await Promise.all(Array.from({ length: 8 }, () => failureOf(rest.get("/things"))));
    await failureOf(rest.get("/things"));
    expect(server.requests).toHaveLength(2);
  });

  test.each<[string, Answer]>([
    ["500", status(500)],
    ["429", status(429, { "retry-after": "0" })],
    ["a reset", (socket) => socket.resetAndDestroy()],
  ])("is never made for a mutation that met %s", async (_name, failure) => {
    const { rest, server } = await against(failFirst(failure));
    await failureOf(rest.post("/things", { body: {} }));
    expect(server.requests).toHaveLength(1);
  });

  test.each(["1", "0"])("waits for the second of Retry-After: %s", async (after) => {
    const { rest, server } = await against(failFirst(status(429, { "retry-after": after })));
    const began = performance.now();
    expect(await rest.get("/things")).toEqual({ fine: true });
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    [429, "RATE_LIMITED", "7", 7],
    [429, "RATE_LIMITED", "2", 2],
    [503, "UPSTREAM_UNAVAILABLE", "3", 3],
    [500, "UPSTREAM_ERROR", "3", 3],
    [429, "RATE_LIMITED", "999999999999", 86_400],
    [429, "RATE_LIMITED", "-5", undefined],
    [429, "RATE_LIMITED", "1.5", undefined],
    [429, "RATE_LIMITED", "Wed, 21 Oct 2015 07:28:00 GMT", undefined],
  ])(
    "of a %i is not made if REST wants a longer wait than a second: %s at once, Retry-After: %s",
    async (...given) => {
      const [code, expected, after, retryAfter] = given;
      const { rest, server } = await against(status(code, { "retry-after": after }));
      const began = performance.now();
      const failure = await failureOf(rest.get("/things"));
      expect([failure.code, failure.details.retryAfter]).toEqual([expected, retryAfter]);
      expect(performance.now() - began).toBeLessThan(1_000);
      expect(server.requests).toHaveLength(1);
    },
  );

  test("is not made beyond MAX_REST_CALLS: the error is that of the first call", async () => {
    const { rest, server } = await against(status(500), { MAX_REST_CALLS: "1" });
    expect((await failureOf(rest.get("/things"))).code).toBe("UPSTREAM_ERROR");
    expect(server.requests).toHaveLength(1);
  });

  test("is made for at most a fifth of the calls", async () => {
    const { request, server } = await against((socket, text, count) =>
      count % 3 === 0 ? ok({})(socket, text, count) : status(500)(socket, text, count),
    );
    for (let call = 0; call < 50; call++)
      await request()
        .get("/things")
        .catch(() => {});
    expect(server.requests.length).toBeGreaterThan(50);
    expect(server.requests.length).toBeLessThanOrEqual(60);
  });

  test("of a caller whose reads all fail leaves the others' reads theirs", async () => {
    const seen = new Set<string>();
    const { request } = await against((socket, text, count) => {
      const [, path = ""] = text.split(" ");
      const fails = path.startsWith("/things?") || (path.endsWith("3") && !seen.has(path));
      seen.add(path);
      (fails ? status(500) : ok({}))(socket, text, count);
    });
    let failed = 0;
    for (let read = 1; read <= 200; read++) {
      for (const where of ["a", "b", "c"])
        await failureOf(request("failing").get("/things", { query: { q: read, where } }));
      await request("other")
        .get("/things/{thingId}", { path: { thingId: `${read}` } })
        .catch(() => failed++);
    }
    expect(failed).toBe(0);
  });

  test("is not paid for by reads that need no call", async () => {
    vi.useFakeTimers({ toFake: ["performance"] }); // the budget is that of the last seconds
    vi.advanceTimersByTime(1_000);
    onTestFinished(() => void vi.useRealTimers());
    const { request, server } = await against((socket, text) =>
      text.includes("q=kept")
        ? void socket.write(http(200, "{}", { "cache-control": "max-age=600" }))
        : void socket.write(http(500, "{}")),
    );
    for (let read = 0; read < 500; read++) await request().get("/things", { query: { q: "kept" } });
    for (let read = 0; read < 30; read++) await failureOf(request().get("/things", { query: { q: read } }));
    expect(server.requests.length).toBeGreaterThan(31);
    expect(server.requests.length).toBeLessThanOrEqual(37);
  });
});

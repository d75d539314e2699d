/** Several callers of one upstream: none holds up another. */
import { describe, expect, test } from "vitest";
import { against, failureOf, ok, pathsOf } from "../client.ts";
import type { Answer } from "../raw-server.ts";

describe("a caller", () => {
  /** Hangs for one caller, and answers all others. */
  const hangsForOne: Answer = (socket, text, count) => {
    if (!text.includes("x-api-key: hanging")) ok({ fine: true })(socket, text, count);
  };

  test("whose calls hang holds up no other, and opens the breaker for nobody", async () => {
    const { request, server } = await against(hangsForOne, { CALL_TIMEOUT_MS: "1500" });
    const hanging = Array.from({ length: 150 }, (_, q) =>
      failureOf(request("hanging").get("/things", { query: { q } })),
    );
    const codes = Promise.all(hanging).then((failures) => new Set(failures.map(({ code }) => code)));
    const until = performance.now() + 1_700;
    let slowest = 0;
    while (performance.now() < until) {
      const began = performance.now();
      expect(await request("other").get("/things")).toEqual({ fine: true });
      slowest = Math.max(slowest, performance.now() - began);
    }
    expect(slowest).toBeLessThan(500);
    expect(await codes).toEqual(new Set(["UPSTREAM_TIMEOUT"]));
    expect(server.requests.filter((text) => text.includes("hanging"))).toHaveLength(48);
  });

  test("whose calls hang opens the breaker for nobody who calls now and then", async () => {
    const { request } = await against(hangsForOne, { CONNECT_TIMEOUT_MS: "100", CALL_TIMEOUT_MS: "900" });
    const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const until = performance.now() + 2_500;
    const hang = async (): Promise<void> => {
      for (; performance.now() < until; await sleep(10)) await failureOf(request("hanging").get("/things"));
    };
    const hanging = Array.from({ length: 80 }, hang);
    for (; performance.now() < until; await sleep(300))
      expect(await request("other").get("/things")).toEqual({ fine: true });
    await Promise.all(hanging);
  });

  test("opens the breaker for everybody if nobody is answered", async () => {
    const { request, server } = await against(() => {}, { CALL_TIMEOUT_MS: "300" });
    await Promise.all(
      Array.from({ length: 5 }, (_, q) => failureOf(request().get("/things", { query: { q } }))),
    );
    expect((await failureOf(request("other").get("/things"))).code).toBe("UPSTREAM_UNAVAILABLE");
    expect(server.requests).toHaveLength(5);
  });

  test("waits for its turn until the time to connect is over, or its client leaves", async () => {
    const { request, server, upstreams } = await against(hangsForOne, { CONNECT_TIMEOUT_MS: "300" });
    const hanging = Array.from({ length: 48 }, (_, q) => {
      const one = request("hanging");
      return { ...one, leave: one.leave, failure: failureOf(one.get("/things", { query: { q } })) };
    });
    await expect.poll(() => server.requests.length).toBe(48);
    const leaving = request("hanging");
    const [left, late] = [leaving, request("hanging")].map((one, q) =>
      failureOf(one.get("/things", { query: { q: `late${q}` } })),
    );
    const began = performance.now();
    leaving.leave();
    expect((await left)?.code).toBe("CLIENT_CLOSED_REQUEST");
    expect(performance.now() - began).toBeLessThan(100);
    expect((await late)?.message).toMatch(/no connection in time/);
    expect(performance.now() - began).toBeGreaterThan(280);
    expect(performance.now() - began).toBeLessThan(600);
    const next = failureOf(request("hanging").get("/things", { query: { q: "next" } }));
    hanging[0]?.leave();
    await expect.poll(() => pathsOf(server.requests).at(-1)).toBe("/things?q=next");
    for (const { leave } of hanging) leave();
    expect((await next).message).toMatch(/no answer in time/);
    expect(upstreams.underWay).toBe(0);
    expect(server.requests).toHaveLength(49);
  });

  test("has all of its calls made, however many, but no more than its share at once", async () => {
    let [underWay, most] = [0, 0];
    const { request } = await against((socket, text, count) => {
      most = Math.max(most, ++underWay);
      setTimeout(() => underWay-- && ok({})(socket, text, count), 5);
    });
    await Promise.all(Array.from({ length: 400 }, (_, q) => request().get("/things", { query: { q } })));
    expect(most).toBe(48);
  });
});

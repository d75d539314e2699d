/** Several callers of one upstream: none holds up another. */
import { describe, expect, test } from "vitest";
import { against, failureOf, ok, pathsOf } from "../client.ts";
import type { Answer } from "../raw-server.ts";

/** Of 64 connections: three times what is then left, beside an eighth for newcomers. */
const share = 42;

describe("a caller", () => {
  /** Hangs for one caller, and answers all others. */
  const hangsForOne: Answer = (socket, text, count) => {
    if (!text.includes("x-api-key: hanging")) ok({ fine: true })(socket, text, count);
  };

  test("whose calls hang delays no other caller, and does not open the circuit breaker", async () => {
    const { request, server } = await against(hangsForOne, {
      CONNECT_TIMEOUT_MS: "1000",
      CALL_TIMEOUT_MS: "1500",
    });
    const hanging = Array.from({ length: 150 }, (_, q) =>
      failureOf(request("hanging").get("/things", { query: { q } })),
    );
    let failed = 0;
    for (const one of hanging) one.then(() => failed++);
    let answered = 0;
    for (; failed === 0; answered++) expect(await request("other").get("/things")).toEqual({ fine: true });
    expect(answered).toBeGreaterThan(5);
    const codes = new Set((await Promise.all(hanging)).map(({ code }) => code));
    // those that never had a connection of ours say nothing of the product
    expect(codes).toEqual(new Set(["UPSTREAM_TIMEOUT", "SERVICE_TIMEOUT"]));
    expect(await request("other").get("/things")).toEqual({ fine: true });
    expect(server.requests.filter((text) => text.includes("hanging")).length).toBeLessThan(150);
  });

  test("whose calls hang does not open the circuit breaker for a caller who calls now and then", async () => {
    const { request } = await against(hangsForOne, { CONNECT_TIMEOUT_MS: "800", CALL_TIMEOUT_MS: "900" });
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

  test("opens the circuit breaker for all callers if no caller gets a response", async () => {
    const { request, server } = await against(() => {}, { CALL_TIMEOUT_MS: "300" });
    await Promise.all(
      Array.from({ length: 5 }, (_, q) => failureOf(request(`key${q % 2}`).get("/things", { query: { q } }))),
    );
    expect((await failureOf(request("other").get("/things"))).code).toBe("UPSTREAM_UNAVAILABLE");
    expect(server.requests).toHaveLength(5);
  });

  test("waits for a connection until the connect timeout, or until its client leaves", async () => {
    const { request, server, upstreams } = await against(hangsForOne, {
      CONNECT_TIMEOUT_MS: "1000",
      CALL_TIMEOUT_MS: "20000",
    });
    const hanging = Array.from({ length: share }, (_, q) => {
      const one = request("hanging");
      return { ...one, leave: one.leave, failure: failureOf(one.get("/things", { query: { q } })) };
    });
    await expect.poll(() => server.requests.length).toBe(share);
    const leaving = request("hanging");
    const [left, late] = [leaving, request("hanging")].map((one, q) =>
      failureOf(one.get("/things", { query: { q: `late${q}` } })),
    );
    const began = performance.now();
    leaving.leave();
    expect((await left)?.code).toBe("CLIENT_CLOSED_REQUEST");
    expect((await late)?.message).toMatch(/no connection in time/);
    expect(performance.now() - began).toBeGreaterThan(900);
    const following = request("hanging");
    const next = failureOf(following.get("/things", { query: { q: "next" } }));
    hanging[0]?.leave();
    await expect.poll(() => pathsOf(server.requests).at(-1)).toBe("/things?q=next");
    for (const { leave } of [...hanging, following]) leave();
    expect((await next).code).toBe("CLIENT_CLOSED_REQUEST");
    await expect.poll(() => upstreams.callsInFlight).toBe(0);
    expect(server.requests).toHaveLength(share + 1);
  });

  test("has all of its calls sent, but no more than its share at once", async () => {
    const underWay: (() => void)[] = [];
    let most = 0;
    let left = 400;
    const { request } = await against((socket, text, count) => {
      most = Math.max(
        most,
        underWay.push(() => ok({})(socket, text, count)),
      );
      if (underWay.length === Math.min(share, left)) setTimeout(answerAll, 5);
    });
    const answerAll = (): void => {
      left -= underWay.length;
      for (const answer of underWay.splice(0)) answer();
    };
    await Promise.all(Array.from({ length: 400 }, (_, q) => request().get("/things", { query: { q } })));
    expect(most).toBe(share);
  });
});

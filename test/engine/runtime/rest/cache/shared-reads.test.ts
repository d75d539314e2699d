/** Identical reads of one caller that wait together are one call, and every reader gets a response that it asked for. */
import { EventEmitter, once } from "node:events";
import type net from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { against, failureOf, operations, withPublicThings } from "../client.ts";
import { http } from "../raw-server.ts";

// the pause passes only where a test lets it pass
beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

/** An upstream whose calls wait until the test answers them. */
async function held(environment: NodeJS.ProcessEnv = {}, table = operations) {
  const sockets: net.Socket[] = [];
  const arrivals = new EventEmitter();
  const given = await against(
    (socket) => {
      sockets.push(socket);
      arrivals.emit("call");
    },
    environment,
    "",
    table,
  );
  const answer = (index: number, value: unknown, status = 200, headers: Record<string, string> = {}): void =>
    void sockets[index]?.write(http(status, JSON.stringify(value), headers));
  const calls = async (count: number): Promise<void> => {
    while (sockets.length < count) await once(arrivals, "call");
    expect(sockets).toHaveLength(count);
  };
  const things = (caller?: string) => given.request(caller).get("/things");
  return { ...given, answer, calls, things };
}

describe("reads that wait together", () => {
  test("are one call, which begins after each of them asked", async () => {
    const { answer, calls, things } = await held();
    const first = things();
    await calls(1);
    const others = Array.from({ length: 20 }, () => things());
    answer(0, { version: 1 });
    expect(await first).toEqual({ version: 1 });
    await calls(2);
    const later = things();
    answer(1, { version: 2 });
    expect(await Promise.all(others)).toEqual(others.map(() => ({ version: 2 })));
    await calls(3);
    answer(2, { version: 3 });
    expect(await later).toEqual({ version: 3 });
  });

  test("wait 20 ms for a call that hangs, and not for its end", async () => {
    const { answer, calls, things } = await held();
    const hanging = failureOf(things());
    await calls(1);
    const others = [things(), things()];
    vi.advanceTimersByTime(20);
    await calls(2);
    answer(1, {});
    expect(await Promise.all(others)).toEqual([{}, {}]);
    answer(0, {}, 404);
    expect((await hanging).code).toBe("NOT_FOUND");
  });

  test("wait 20 ms longer for each call that hangs, and for the end of one of them at most", async () => {
    const { answer, calls, things, upstreams } = await held();
    const hanging = [things()];
    await calls(1);
    hanging.push(things());
    vi.advanceTimersByTime(20);
    await calls(2);
    const others = [things(), things()];
    vi.advanceTimersByTime(39);
    expect(upstreams.callsInFlight).toBe(2);
    answer(0, {});
    await calls(3);
    answer(2, { fine: true });
    expect(await Promise.all(others)).toEqual([{ fine: true }, { fine: true }]);
    answer(1, {});
    expect(await Promise.all(hanging)).toEqual([{}, {}]);
  });

  test("share a failure, and later reads do not get it", async () => {
    const { answer, calls, request, things } = await held();
    const first = things();
    await calls(1);
    const others = [1, 2, 3].map(() => failureOf(request().get("/things")));
    answer(0, {});
    await first;
    await calls(2);
    answer(1, {}, 404);
    for (const other of others) expect((await other).code).toBe("NOT_FOUND");
    const later = things();
    await calls(3);
    answer(2, { fine: true });
    expect(await later).toEqual({ fine: true });
  });
});

test.each([
  ["another key", { "x-api-key": "other" }],
  ["another tenant in the context headers", { "x-service-tenant-id": "other" }],
  ["another language", { "accept-language": "pt" }],
  ["a key in another header", { "x-api-key": "", authorization: "key" }],
])("a read with %s is a call of its own", async (_name, headers) => {
  const { calls, server, request, answer } = await held();
  void request().get("/things");
  await calls(1);
  const [same, other] = [request(), request("key", headers)].map((one) => one.get("/things"));
  await calls(2);
  answer(1, { for: "other" });
  expect(await other).toEqual({ for: "other" });
  answer(0, {});
  await calls(3);
  answer(2, { for: "key" });
  expect(await same).toEqual({ for: "key" });
  for (const [name, value] of Object.entries(headers))
    if (value) expect(server.requests[1]).toContain(`${name}: ${value}`);
});

test("the id and the trace of a request make no difference", async () => {
  const { calls, request, answer, server } = await held();
  void request().get("/things");
  await calls(1);
  const reads = [1, 2, 3].map((id) =>
    request("key", { "x-request-id": `id-${id}`, traceparent: `trace-${id}` }).get("/things"),
  );
  answer(0, {});
  await calls(2);
  answer(1, {});
  await Promise.all(reads);
  expect(server.requests).toHaveLength(2);
});

describe("one reader", () => {
  test("who leaves ends the call for no other, also the one whose headers were sent", async () => {
    const { calls, request, answer, things } = await held();
    const first = things();
    await calls(1);
    const leaving = request();
    const staying = request();
    const left = failureOf(leaving.get("/things"));
    const stayed = staying.get("/things");
    answer(0, {});
    await first;
    await calls(2);
    leaving.leave();
    expect((await left).code).toBe("CLIENT_CLOSED_REQUEST");
    answer(1, { fine: true });
    expect(await stayed).toEqual({ fine: true });
  });

  test("keeps its own deadline", async () => {
    const { calls, things } = await held({ CALL_TIMEOUT_MS: "300" });
    const first = failureOf(things());
    await calls(1);
    const other = failureOf(things());
    vi.advanceTimersByTime(400);
    for (const failure of [first, other]) expect((await failure).code).toBe("UPSTREAM_TIMEOUT");
  });

  test("counts the call as its own", async () => {
    const { calls, answer, request, things } = await held({ MAX_REST_CALLS: "1" });
    const first = things();
    await calls(1);
    const one = request();
    const shared = one.get("/things");
    expect((await failureOf(one.get("/others"))).code).toBe("CALL_LIMIT");
    answer(0, {});
    await first;
    await calls(2);
    answer(1, {});
    await shared;
  });

  test("is refused alone if its own budget is too small for the response", async () => {
    const { calls, answer, request, things } = await held({ MAX_REQUEST_BYTES: "1500" });
    const first = things();
    await calls(1);
    const full = request();
    const big = "b".repeat(1_000);
    const own = full.get("/things", { query: { q: "own" } });
    await calls(2);
    answer(1, big);
    await own;
    const refused = failureOf(full.get("/things"));
    const fine = things();
    answer(0, {});
    await first;
    await calls(3);
    answer(2, big);
    expect(await fine).toBe(big);
    expect((await refused).code).toBe("LIMIT_EXCEEDED");
  });
});

test("the circuit breaker counts a call that fails once, however many wait for it", async () => {
  const { calls, answer, request, things, server } = await held({ MAX_REST_CALLS: "1" }); // so nothing is retried
  for (const [first, shared] of [
    [0, 1],
    [2, 3],
  ] as const) {
    const failures = [failureOf(things())];
    await calls(first + 1);
    for (let reader = 0; reader < 20; reader++) failures.push(failureOf(things()));
    answer(first, {}, 503);
    await calls(shared + 1);
    answer(shared, {}, 503);
    for (const failure of failures) expect((await failure).code).toBe("UPSTREAM_UNAVAILABLE");
  }
  const fifth = failureOf(things());
  await calls(5); // four failures have left the circuit closed
  answer(4, {}, 503);
  await fifth;
  await failureOf(request().get("/things"));
  expect(server.requests).toHaveLength(5); // and the fifth has opened it
});

test("the call ends when its last reader leaves", async () => {
  const { calls, answer, request, things, upstreams } = await held();
  const first = things();
  await calls(1);
  const readers = [request(), request()];
  const left = readers.map((one) => failureOf(one.get("/things")));
  answer(0, {});
  await first;
  await calls(2);
  for (const one of readers) one.leave();
  for (const failure of left) expect((await failure).code).toBe("CLIENT_CLOSED_REQUEST");
  vi.advanceTimersByTime(50); // the connection lingers
  await vi.waitFor(() => expect(upstreams.callsInFlight).toBe(0));
});

test("no call is made for readers who left while they waited", async () => {
  const { calls, answer, request, things, server } = await held();
  const first = things();
  await calls(1);
  const one = request();
  const left = failureOf(one.get("/things"));
  one.leave();
  await left;
  answer(0, {});
  await first;
  const next = things();
  await calls(2);
  answer(1, {});
  await next;
  expect(server.requests).toHaveLength(2);
});

describe("public reads of different callers that wait together", () => {
  const names = Array.from({ length: 20 }, (_, index) => `caller ${index}`);
  const forAll = { "cache-control": "public, max-age=60" };

  test("get the response to one call, once it is stored", async () => {
    const { answer, calls, things } = await held({}, withPublicThings);
    vi.advanceTimersByTime(1); // since the cache was emptied
    const reads = names.map((name) => things(name));
    await calls(1);
    answer(0, { version: 1 }, 200, forAll);
    expect(await Promise.all(reads)).toEqual(names.map(() => ({ version: 1 })));
    await calls(1);
  });

  test("wait 20 ms for a call that hangs, and then for the call of one of them", async () => {
    const { answer, calls, things } = await held({}, withPublicThings);
    const hanging = failureOf(things("slow"));
    await calls(1);
    const reads = names.map((name) => things(name));
    vi.advanceTimersByTime(20);
    await calls(2);
    answer(1, { version: 2 }, 200, forAll);
    expect(await Promise.all(reads)).toEqual(names.map(() => ({ version: 2 })));
    answer(0, {}, 404);
    await hanging;
  });

  test.each([
    ["is for one caller", 200, { "cache-control": "max-age=60" }],
    ["is never fresh", 200, { "cache-control": "public, no-cache" }],
    ["is a refusal", 404, forAll],
  ])("are a call of each as soon as a response %s", async (_name, status, headers) => {
    const { answer, calls, things } = await held({}, withPublicThings);
    const outcomes = [...names, names[1]].map((name) => things(name).catch(() => "refused"));
    await calls(1);
    answer(0, "first", status, headers);
    await calls(names.length);
    for (const index of names.keys()) if (index > 0) answer(index, index, 200, headers);
    const [first, ...others] = await Promise.all(outcomes);
    expect(first).toBe(status === 200 ? "first" : "refused");
    expect(others).toEqual([...names.keys()].slice(1).concat(1));
  });

  test("have their own results: a client that leaves takes none from others", async () => {
    const { answer, calls, request, things } = await held({}, withPublicThings);
    vi.advanceTimersByTime(1);
    const first = request("first");
    const left = failureOf(first.get("/things"));
    await calls(1);
    const other = things("other");
    first.leave();
    expect((await left).code).toBe("CLIENT_CLOSED_REQUEST");
    await calls(2);
    answer(1, { version: 2 }, 200, forAll);
    expect(await other).toEqual({ version: 2 });
  });
});

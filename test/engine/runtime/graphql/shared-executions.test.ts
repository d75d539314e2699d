/**
 * Identical queries that wait together leave the start queue. The one that is executed in the end takes a place again, in
 * line with all others. Every place is freed, also when clients leave while they wait, or when REST refuses.
 */
import type { ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { PresentCallers } from "../../../../src/engine/runtime/governor/caller.ts";
import { FairShare } from "../../../../src/engine/runtime/governor/processor-share.ts";
import { pauseMs, RequestCoalescer } from "../../../../src/engine/runtime/governor/request-coalescer.ts";
import { StartQueue } from "../../../../src/engine/runtime/governor/start-queue.ts";
import { Admission } from "../../../../src/engine/runtime/graphql/admission.ts";
import {
  CoalescedQuery,
  type QueryExecution,
} from "../../../../src/engine/runtime/graphql/response-cache/coalesced-query.ts";
import { subscribe } from "../../../../src/engine/runtime/observe/observer.ts";
import type { RequestRecord } from "../../../../src/engine/runtime/observe/request-record.ts";
import type { RequestScope } from "../../../../src/engine/runtime/rest/request-scope.ts";
import { executedAtOnce } from "../../../../src/engine/runtime/settings/capacity.ts";
import { alone } from "../governor/alone.ts";
import { countedKeys } from "./counted-keys.ts";
import { inFrontOf, me } from "./rest-stand-in.ts";

const query = "{ me { id email } }";

/** On a slow machine a request would wait for its caller's share, and another one would have its place meanwhile. */
beforeEach(() => {
  const busy = vi
    .spyOn(performance, "eventLoopUtilization")
    .mockReturnValue({ utilization: 1, active: 1, idle: 0 });
  const share = vi.spyOn(FairShare.prototype, "turnOf").mockReturnValue(undefined);
  return () => [busy, share].forEach((mock) => void mock.mockRestore());
});

/** Identical queries wait for the end of one, however long it takes, unless `endPauses` is called. */
function holdPauses() {
  const left = Object.getOwnPropertyDescriptor(RequestCoalescer.prototype, "waitMs")?.get as () => number;
  const pause = vi.spyOn(RequestCoalescer.prototype, "waitMs", "get").mockImplementation(function (
    this: RequestCoalescer<never, never>,
  ) {
    return left.call(this) === 0 ? 0 : pauseMs;
  });
  const start = setTimeout;
  const ends: (() => void)[] = [];
  const hold = (run: () => void, ms?: number, ...given: []) => {
    if (ms === pauseMs) ends.push(run);
    return start(ms === pauseMs ? () => {} : run, ms, ...given);
  };
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(hold as typeof setTimeout);
  onTestFinished(() => {
    pause.mockRestore();
    timers.mockRestore();
  });
  return { endPauses: () => ends.splice(0).forEach((end) => void end()) };
}

type Held = { readonly isMe: boolean; readonly answer: (status?: number, email?: string) => void };

/** A REST platform whose responses wait for `answer`. It has accepted the keys before, and has answered `query`. */
async function holding(keys: readonly string[]) {
  const left = countedKeys();
  const held: Held[] = [];
  let isOpen = true;
  let most = 0;
  let calls = 0;
  let begun = 0;
  let ended = 0;
  const underWay = new Set<RequestRecord>();
  const send = (response: ServerResponse, status = 200, email = me.email): void =>
    void response
      .writeHead(status, { "content-type": "application/json" })
      .end(JSON.stringify({ ...me, email }));
  const layer = await inFrontOf(
    ({ url = "" }, response) => {
      if (isOpen) return send(response);
      const one: Held = {
        isMe: url.endsWith("/me"),
        answer: (status, email) => {
          held.splice(held.indexOf(one), 1);
          send(response, status, email);
        },
      };
      calls++;
      held.push(one);
      most = Math.max(most, held.length);
    },
    { REQUEST_TIMEOUT_MS: "120000", CALL_TIMEOUT_MS: "120000", MAX_ANSWER_BYTES: "10000" },
  );
  const ask = async (key: string, text = query, signal?: AbortSignal) => {
    const headers = { "content-type": "application/json", "x-api-key": key };
    const response = await layer.post(text, { headers, ...(signal && { signal }) });
    return { status: response.status, body: await response.text() };
  };
  for (const key of keys) await ask(key);
  isOpen = false;
  onTestFinished(
    subscribe({
      requestBegan: (record) => {
        begun++;
        underWay.add(record);
      },
      requestEnded: (record) => {
        if (underWay.delete(record)) ended++;
      },
    }),
  );
  /** Sends requests, and waits until they have arrived. */
  const arrive = async <T>(requests: () => T[]): Promise<T[]> => {
    const before = begun;
    const sent = requests();
    await vi.waitFor(() => expect(begun).toBe(before + sent.length), 60_000);
    return sent;
  };
  const holds = (count: number) => vi.waitFor(() => expect(held).toHaveLength(count), 60_000);
  /** Clients leave. Waits until the server knows. */
  const leave = async (clients: readonly AbortController[]): Promise<void> => {
    const before = ended;
    for (const client of clients) client.abort();
    await vi.waitFor(() => expect(ended).toBe(before + clients.length), 60_000);
  };
  /** Answers each call of REST until all requests have ended. */
  const endAll = async <T>(requests: readonly Promise<T>[]): Promise<T[]> => {
    let ended = 0;
    for (const one of requests) one.then(() => ended++);
    await vi.waitFor(() => {
      for (const { answer } of [...held]) answer();
      expect(ended).toBe(requests.length);
    }, 60_000);
    return Promise.all(requests);
  };
  return { ask, held, left, arrive, holds, leave, endAll, most: () => most, calls: () => calls };
}

/** The places of a caller that is alone. */
const places = alone(executedAtOnce);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const other = (index: number): string => `{ agent(id: "${index}") { id } }`;

const caller = new PresentCallers().enter("a");

test("many identical queries of many callers are no more executions at the same time than different ones", async () => {
  const all = upTo(executedAtOnce).map((index) => `key ${index}`);
  const keys = all.slice(0, all.length / 2);
  const otherKeys = all.slice(all.length / 2);
  const { endPauses } = holdPauses();
  const { ask, arrive, holds, endAll, left, most, calls } = await holding(all);
  const firsts = keys.map((key) => ask(key));
  await holds(keys.length);
  const alike = await arrive(() => keys.flatMap((key) => upTo(3).map(() => ask(key))));
  const others = await arrive(() => otherKeys.map((key, index) => ask(key, other(index))));
  await holds(executedAtOnce);
  endPauses();
  await sleep(100); // they would be executed now
  const ended = await endAll([...firsts, ...alike, ...others]);
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 200));
  expect([most(), calls()]).toEqual([executedAtOnce, 3 * keys.length]);
  await expect.poll(left).toBe(0);
});

test("an execution that follows one of a query is a query's from its start: it may wait for its share before it is parsed", async () => {
  const starts = new StartQueue();
  const query = new CoalescedQuery(starts, false, { ended: () => {}, idle: () => {} });
  const admission = () => Object.assign(new Admission(caller), { place: starts.place(caller, () => {}) });
  const scope = { onLeave: () => {}, ended: () => {} } as unknown as RequestScope;
  const first = query.request(admission(), scope) as QueryExecution;
  first.isQuery = true;
  const second = query.request(admission(), scope);
  first.end(new Error("of the first"));
  expect(await second).toMatchObject({ isQuery: true });
});

test("a wait that is over before its timer starts takes no negative time, of which Node would warn", () => {
  const starts = new StartQueue();
  const query = new CoalescedQuery(starts, true, { ended: () => {}, idle: () => {} });
  const admission = () => Object.assign(new Admission(caller), { place: starts.place(caller, () => {}) });
  const scope = { onLeave: () => {}, ended: () => {} } as unknown as RequestScope;
  const left = vi
    .spyOn(RequestCoalescer.prototype, "waitMs", "get")
    .mockReturnValueOnce(0.1)
    .mockReturnValue(-0.1);
  // a timer that runs would take a place in the next test
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation((() => {}) as never);
  onTestFinished(() => {
    left.mockRestore();
    timers.mockRestore();
  });
  query.request(admission(), scope);
  void query.request(admission(), scope);
  expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([0]);
});

describe("identical queries that wait for a place", () => {
  beforeEach(() => void holdPauses());

  /** Others hold all places. Three identical queries have waited for a fourth one, and stand in the start queue now. */
  async function waiting({ hasAnother = false } = {}) {
    const layer = await holding(["key"]);
    const { ask, arrive, holds, held, calls } = layer;
    const first = ask("key");
    await holds(1);
    const clients = upTo(3).map(() => new AbortController());
    const alike: ReturnType<typeof ask>[] = [];
    for (const { signal } of clients) alike.push(...(await arrive(() => [ask("key", query, signal)])));
    const others = await arrive(() => upTo(places).map((index) => ask("key", other(index))));
    await holds(places); // the last of the others waits
    const another = hasAnother ? await arrive(() => [ask("key")]) : [];
    held.find(({ isMe }) => isMe)?.answer();
    await first;
    await holds(places);
    expect(calls()).toBe(1 + places);
    return { ...layer, clients, alike, another, others };
  }

  test("are one execution", async () => {
    const { alike, others, endAll, calls, most, left } = await waiting();
    const ended = await endAll([...alike, ...others]);
    expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 200));
    expect([calls(), most()]).toEqual([1 + places + 1, places]);
    await expect.poll(left).toBe(0);
  });

  test("are executed although the client of the first one leaves", async () => {
    const { clients, leave, alike, others, endAll, calls, left } = await waiting();
    alike[0]?.catch(() => {});
    await leave(clients.slice(0, 1));
    await expect(alike[0]).rejects.toThrow();
    const ended = await endAll([...alike.slice(1), ...others]);
    expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 200));
    expect(calls()).toBe(1 + places + 1);
    await expect.poll(left).toBe(0);
  });

  test("make no call if all their clients leave", async () => {
    const { clients, leave, alike, others, endAll, calls, left } = await waiting();
    for (const one of alike) one.catch(() => {});
    await leave(clients);
    for (const one of alike) await expect(one).rejects.toThrow();
    await endAll(others);
    await expect.poll(left).toBe(0);
    expect(calls()).toBe(1 + places);
  });

  test("get the answer of an identical one that has waited for its place for longer", async () => {
    const { alike, another, others, endAll, calls, left } = await waiting({ hasAnother: true });
    const ended = await endAll([...alike, ...another, ...others]);
    expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 200));
    expect(calls()).toBe(1 + places + 1);
    await expect.poll(left).toBe(0);
  });

  test.each<[string, number, [number, string]]>([
    ["REST refuses the credential", 401, [401, me.email]],
    ["the answer is too large", 400, [200, "x".repeat(10_000)]],
  ])("are one execution if %s", async (_name, status, given) => {
    const { alike, others, endAll, held, calls, left } = await waiting();
    held[0]?.answer();
    await vi.waitFor(() => expect(held.some(({ isMe }) => isMe)).toBe(true), 60_000);
    held.find(({ isMe }) => isMe)?.answer(...given);
    const ended = await Promise.all(alike);
    expect(ended.map((one) => one.status)).toEqual([status, status, status]);
    expect(new Set(ended.map(({ body }) => body)).size).toBe(3); // each has its request's id
    await endAll(others);
    expect(calls()).toBe(1 + places + 1);
    await expect.poll(left).toBe(0);
  });

  test("ask REST twice in each round of a caller that polls", async () => {
    const { ask, held, arrive, holds, calls } = await holding(["key"]);
    const clients = 20;
    const rounds = 5;
    let asked = await arrive(() => upTo(clients).map(() => ask("key")));
    for (let round = 0; round < rounds; round++) {
      for (const count of [1, 1]) {
        await holds(count);
        held[0]?.answer();
      }
      const ended = await Promise.all(asked);
      expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 200));
      if (round < rounds - 1) asked = await arrive(() => upTo(clients).map(() => ask("key")));
    }
    expect(calls() / (clients * rounds)).toBe(0.1);
  });
});

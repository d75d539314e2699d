/** What one tenant's failures and slowness are to the others: nothing. `ROUNDS` makes the tests longer. */
import { describe, expect, test } from "vitest";
import { against, failureOf, ok, status } from "../client.ts";
import type { Answer } from "../raw-server.ts";

const rounds = Number(process.env.ROUNDS ?? 50);
const patience = { CONNECT_TIMEOUT_MS: "20000", CALL_TIMEOUT_MS: "60000", REQUEST_TIMEOUT_MS: "120000" };

/** Treats the callers whose names begin with `bad` so, and answers all others. */
const against1 = (bad: Answer, environment: NodeJS.ProcessEnv = patience) =>
  against(
    (socket, text, count) =>
      (text.includes("x-api-key: bad") ? bad : ok({ fine: true }))(socket, text, count),
    environment,
  );
type World = Awaited<ReturnType<typeof against>>;

/** The reads of another tenant that fail, of the same product and of another. */
async function othersFailures(
  { request }: World,
  beside: () => Promise<unknown>,
  every = 1,
): Promise<string[]> {
  const failures: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const failing = round % every === 0 ? beside() : undefined;
    for (const path of ["/things", "/others"] as const)
      await request("good")
        .get(path, { query: { q: round } })
        .catch((error: Error) => failures.push(error.message));
    await failing;
  }
  return failures;
}

const faults: [string, Answer, NodeJS.ProcessEnv?][] = [
  ...[500, 502, 503, 504, 429].map((code): [string, Answer] => [`answers ${code}`, status(code)]),
  ["resets", (socket) => void socket.destroy()],
  ["hangs", () => {}, { ...patience, CALL_TIMEOUT_MS: "3000" }],
];

const read = ({ request }: World, q: number) => failureOf(request("bad").get("/things", { query: { q } }));
const manners: [string, (world: World) => Promise<unknown>][] = [
  ["one request at a time", (world) => read(world, 0)],
  ["20 requests at once", (world) => Promise.all(Array.from({ length: 20 }, (_, q) => read(world, q)))],
  [
    "one request of 20 aliases",
    ({ request }) => {
      const one = request("bad");
      return Promise.all(
        Array.from({ length: 20 }, (_, q) => failureOf(one.get("/things", { query: { q } }))),
      );
    },
  ],
];

describe.each(faults)("REST %s for one tenant", (_name, answer, environment) => {
  test.each(manners)("%s: all of another's reads succeed", async (_manner, fail) => {
    const world = await against1(answer, environment);
    expect(await othersFailures(world, () => fail(world), environment ? 25 : 1)).toEqual([]);
  });
});

test.each([1, 2, 10])(
  "%i tenants whose searches take 9 s: all of another's reads succeed",
  async (tenants) => {
    const slow: Answer = (...call) => void setTimeout(() => ok({})(...call), 9_000).unref();
    const world = await against1(slow);
    const searching = Array.from({ length: tenants }, (_, tenant) => {
      const one = world.request(`bad${tenant}`);
      for (let q = 0; q < 48; q++) one.get("/things", { query: { q } }).catch(() => {});
      return one;
    });
    await expect.poll(() => world.server.requests.length).toBeGreaterThanOrEqual(Math.min(42, tenants * 42));
    expect(await othersFailures(world, async () => {})).toEqual([]);
    for (const one of searching) one.leave();
    await expect.poll(() => world.upstreams.callsInFlight).toBe(0);
  },
);

test("a wait for one of our own connections opens no circuit", async () => {
  const world = await against1(() => {}, { ...patience, CONNECT_TIMEOUT_MS: "100" });
  const slow = world.request("bad");
  for (let q = 0; q < 42; q++) slow.get("/things", { query: { q } }).catch(() => {});
  await expect.poll(() => world.server.requests.length).toBe(42);
  for (let q = 0; q < 6; q++)
    expect(
      (await failureOf(world.request("bad").get("/things", { query: { q: `late${q}` } }))).message,
    ).toMatch(/no connection in time/);
  expect(await othersFailures(world, async () => {})).toEqual([]);
  slow.leave();
});

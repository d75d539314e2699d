/** Metrics agree with the stored messages, day by day. */
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { dateRange } from "../../../src/platform/products/insights.ts";
import { get, items, openPlatform } from "./fixture.ts";

let platform: FastifyInstance;
beforeAll(async () => {
  platform = await openPlatform();
});
afterAll(() => platform.close());

type Metric = { name: string; total: number | null; points: { date: string; value: number | null }[] };
const dayMs = 86_400_000;
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const today = Date.parse(day(Date.now()));

async function metrics(query: string): Promise<Map<string, Metric>> {
  const { items: series } = (await get(platform, `/v1/insights/metrics${query}`)).json<{ items: Metric[] }>();
  return new Map(series.map((one) => [one.name, one]));
}

it("has a point for each of the last 90 days, and nearly every day has messages", async () => {
  const series = (await metrics(`?from=${day(today - 89 * dayMs)}`)).get("messages_sent");
  expect(series?.points).toHaveLength(90);
  expect(series?.points.at(-1)?.date).toBe(day(today));
  expect(series?.points.filter(({ value }) => value).length).toBeGreaterThan(80);
});

it("agrees with the stored messages", async () => {
  const window = { from: day(today - 6 * dayMs), to: day(today - 2 * dayMs) };
  const conversations: { id: string; createdAt?: unknown }[] = [];
  for (let cursor = ""; ; ) {
    const page = (await get(platform, `/v1/inbox/conversations?limit=100${cursor}`)).json();
    conversations.push(...page.items);
    if (!page.hasMore) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  const messages = [];
  for (let at = 0; at < conversations.length; at += 100) {
    const ids = conversations.slice(at, at + 100).map(({ id }) => id);
    messages.push(
      ...(await items(platform, `/v1/inbox/messages?conversationIds=${ids}&limitPerConversation=20`)),
    );
  }
  const inWindow = (value: unknown): boolean =>
    String(value).slice(0, 10) >= window.from && String(value).slice(0, 10) <= window.to;
  const written = messages.filter(({ createdAt }) => inWindow(createdAt));
  const inbound = written.filter(({ direction }) => direction === "inbound");
  const found = await metrics(`?from=${window.from}&to=${window.to}`);
  expect(found.get("messages_received")?.total).toBe(inbound.length);
  expect(found.get("messages_sent")?.total).toBe(written.length - inbound.length);
  expect(found.get("active_contacts")?.total).toBe(
    new Set(inbound.map(({ to: _to, author }) => JSON.stringify(author))).size,
  );
  expect(found.get("conversations_started")?.total).toBe(
    conversations.filter((one) => inWindow(one.createdAt)).length,
  );
  for (const name of ["messages_received", "messages_sent", "conversations_started"]) {
    const { total, points = [] } = found.get(name) ?? {};
    expect(points.reduce((sum, { value }) => sum + (value ?? 0), 0)).toBe(total);
  }
});

it("answers 0 for a count without data, and null for a mean without data", async () => {
  const found = await metrics("?from=2020-01-01&to=2020-01-02");
  expect(found.get("messages_sent")).toMatchObject({ total: 0, points: [{ value: 0 }, { value: 0 }] });
  expect(found.get("first_response_time")).toMatchObject({
    total: null,
    points: [{ value: null }, { value: null }],
  });
});

it("answers the earliest and the latest possible dates", async () => {
  const found = await metrics("?from=9999-12-30&to=9999-12-31");
  expect(found.get("messages_sent")).toMatchObject({ total: 0, points: [{}, { date: "9999-12-31" }] });
  expect((await metrics("?to=0000-01-30")).get("messages_sent")?.points[0]?.date).toBe("0000-01-01");
  expect((await get(platform, "/v1/insights/metrics?to=0000-01-29")).json()).toMatchObject({
    status: 400,
    detail: "to: the range must not begin before 0000-01-01",
  });
});

it("spans the 30 days up to today by default, and at most 366 days", () => {
  const now = new Date("2026-03-10T23:59:59Z");
  const range = (from?: string, to?: string) => {
    const { first, last } = dateRange(from, to, now);
    return [day(first), day(last)];
  };
  expect(range()).toEqual(["2026-02-09", "2026-03-10"]);
  expect(range(undefined, "2026-01-31")).toEqual(["2026-01-02", "2026-01-31"]);
  expect(range("2025-03-10")).toEqual(["2025-03-10", "2026-03-10"]);
  expect(() => range("2025-03-09")).toThrow("366");
});

it("has only the metrics that are asked for, in their own order", async () => {
  const named = await metrics("?names=messages_sent,nothing,messages_received");
  expect([...named.keys()]).toEqual(["messages_received", "messages_sent"]);
  expect((await metrics("")).size).toBe(6);
});

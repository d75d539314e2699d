/** The plan's arithmetic, beside the program: look-ups of two gateways, and the figures and the table of the pages. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { KeyState } from "../../../src/engine/gateway/key-introspection.ts";
import { KeyVerifier } from "../../../src/engine/gateway/key-verifier.ts";
import { lookUpsPerSecond, measured, plan } from "./plan.ts";

const read = (page: string): string => readFileSync(join(import.meta.dirname, "../../../docs", page), "utf8");

test("2,000 keys over two gateways at 200 requests a second are looked up as often as the plan says", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const lists = { roles: [], permissions: [], features: [], keyScopes: [], teams: [] };
  const state: KeyState = {
    context: { tenantId: "t", userId: "u", apiKeyId: "k", ...lists },
    validMs: Number.POSITIVE_INFINITY,
  };
  const gateways = [1, 2].map(() => new KeyVerifier(async () => state, 1_000));
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const rate = 200;
  const keys = 2_000;
  const ask = async (seconds: number): Promise<void> => {
    for (let asked = 0; asked < seconds * rate; asked++) {
      vi.advanceTimersByTime(1_000 / rate);
      await gateways[random(2)]?.verify(`sk_test_key${random(keys)}`, "address");
    }
  };
  await ask(60); // caches are full
  const before = gateways.reduce((sum, { counts }) => sum + counts.misses, 0);
  await ask(200);
  const perSecond = (gateways.reduce((sum, { counts }) => sum + counts.misses, 0) - before) / 200;
  const planned = lookUpsPerSecond(rate, 2, keys, measured.cacheSeconds);
  expect(perSecond).toBeGreaterThan(0.9 * planned);
  expect(perSecond).toBeLessThan(1.1 * planned);
});

test("its figures are those of docs/guides/operating.md, and docs/guides/scale.md shows what it says", () => {
  const sizing = read("guides/operating.md");
  expect(sizing).toMatch(/a dashboard of five products: five REST calls \| 19\.7 KiB \| 1,430 \|/);
  expect(sizing).toMatch(/a GraphQL request, the dashboard's answer \| 19\.7 KiB \| 4,020 \|/);
  expect([measured.graphqlPerCore, measured.gatewayPerCore]).toEqual([1_430, 4_020]);
  const plans = [1_000, 10_000, 100_000].map((rate) => plan(rate, measured));
  for (const name of Object.keys(plans[0] ?? {}) as (keyof ReturnType<typeof plan>)[])
    expect(read("guides/scale.md")).toContain(
      `| ${name} | ${plans.map((row) => row[name].toLocaleString("en")).join(" | ")} |`,
    );
});

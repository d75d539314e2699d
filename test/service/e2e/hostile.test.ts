/** The table of hostile requests against the whole program, with the real services behind the gateway. */
import { expect, test } from "vitest";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { hostileRequests, send } from "../../engine/gateway/hostile.ts";
import { runReady } from "../server/program.ts";

const keyOf = (tenant: string): string => demoKeys.find((demo) => demo.tenant === tenant)?.key ?? "";

test("each hostile request gets a clean refusal or its own tenant's answer", async () => {
  const { url, output } = await runReady([], { LOG_LEVEL: "debug" });
  const front = { url, key: keyOf("ten_harbor"), otherKey: keyOf("ten_lumen") };
  const printedAtStart = output();
  const wrong: string[] = [];
  const dashboard = ["path /", "absolute-form, no path"]; // a page without tenant data, for everybody
  for (const row of hostileRequests.filter(({ name }) => !dashboard.includes(name))) {
    const { status, type, text } = await send(front, row);
    const isOwn = status === 200 && (text.includes("ten_harbor") || text.includes('"__typename":"Query"'));
    const isRefused = status !== 200 && type === "application/problem+json";
    if (!row.answers.includes(status) || !(isOwn || isRefused)) wrong.push(`${row.name}: ${text}`);
    if (text.includes(front.key) || text.includes(front.otherKey))
      wrong.push(`${row.name} answers with a key`);
  }
  expect(wrong).toEqual([]);
  const logged = output().slice(printedAtStart.length);
  expect(logged.includes(front.key) || logged.includes(front.otherKey)).toBe(false);
});

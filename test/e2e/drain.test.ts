/** SIGTERM under load, all roles, as in production, behind a balancer that goes by readiness. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { demoKeys } from "../../src/platform/demo/demo.ts";
import { drip, statuses } from "../http/drip.ts";
import { get, runReady } from "../process/program.ts";
import { makeTenants } from "./many-tenants.ts";

test("no request fails, and the process is gone within ten seconds", { timeout: 60_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "drain-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "store.sqlite");
  const [tenant] = makeTenants(file, 1);
  const unlimited = { RATE_LIMIT_PER_KEY: "1000000", RATE_LIMIT_PER_ADDRESS: "1000000" };
  const { url, child, ended } = await runReady([], { NODE_ENV: "production", DATA_FILE: file, ...unlimited });
  const pool = new Pool(url, { connections: 20 });
  onTestFinished(() => pool.destroy());
  const headers = { "content-type": "application/json", "x-api-key": tenant?.key ?? "" };
  const body = JSON.stringify({ query: "{ me { id } contacts { id name } }" });
  const outcomes = new Map<string, number>();
  let isReady = true;
  const client = async (): Promise<void> => {
    while (isReady) {
      const outcome = await pool.request({ path: "/v1/graphql", method: "POST", headers, body }).then(
        async (answer) =>
          (await answer.body.text()).includes('"errors"') ? "errors" : String(answer.statusCode),
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  const balancer = async (): Promise<void> => {
    while (isReady) {
      isReady = (await get(url, "/readyz")).ok;
      await sleep(200);
    }
  };
  const load = Promise.all([balancer(), ...Array.from({ length: 20 }, client)]);
  await sleep(1_000);
  const stoppedAt = performance.now();
  child.kill("SIGTERM");
  await Promise.all([load, once(child, "exit")]);
  expect(await ended).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(10_000);
  expect([...outcomes.keys()]).toEqual(["200"]);
});

test("an unfinished body gets a 503 soon after SIGTERM, and the process ends as it should", async () => {
  const { url, child, ended } = await runReady([]);
  const { text, closed } = drip(url, "/v1/graphql", [`X-API-Key: ${demoKeys[0]?.key}`]);
  await sleep(300);
  const stoppedAt = performance.now();
  child.kill("SIGTERM");
  await closed;
  expect(await ended).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(7_000);
  expect(statuses(text())).toEqual(["503"]);
}, 120_000);

test("SIGHUP ends nothing; DRAIN_MS is the notice, in which answers close their connections", async () => {
  const { url, child, ended } = await runReady(["platform"], { DRAIN_MS: "3000" });
  child.kill("SIGHUP");
  expect((await get(url, "/readyz")).status).toBe(200);
  child.kill("SIGTERM");
  await expect.poll(async () => (await get(url, "/readyz")).status).toBe(503);
  const answer = await get(url, "/healthz");
  expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
  expect(await ended).toBe(0);
}, 120_000);

test("STOP_TIMEOUT_MS ends a process whose requests do not end", async () => {
  const { url, child, ended } = await runReady([], { DRAIN_MS: "50", STOP_TIMEOUT_MS: "300" });
  const { closed } = drip(url, "/v1/graphql", [`X-API-Key: ${demoKeys[0]?.key}`]);
  await sleep(300);
  child.kill("SIGTERM");
  await closed;
  expect(await ended).toBe(1);
}, 120_000);

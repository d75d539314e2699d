/** SIGTERM under load, all roles, as in production, behind a balancer that goes by readiness. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, Pool } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { drip, statuses } from "../../engine/runtime/http/drip.ts";
import { get, runReady } from "../server/program.ts";
import { makeTenants } from "./many-tenants.ts";

/** Stops a process under load. Returns the outcomes of all requests, and the ms until the balancer noticed the stop. */
async function stopUnderLoad(): Promise<{ outcomes: ReadonlySet<string>; noticedAfter: number }> {
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
  const outcomes = new Set<string>();
  let answered = 0;
  let isReady = true;
  const client = async (): Promise<void> => {
    for (; isReady; answered++) {
      const outcome = await pool.request({ path: "/v1/graphql", method: "POST", headers, body }).then(
        async (answer) =>
          (await answer.body.text()).includes('"errors"') ? "errors" : String(answer.statusCode),
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      outcomes.add(outcome);
      await sleep(10); // the balancer must find time to ask, or the run proves nothing
    }
  };
  const balancer = async (): Promise<void> => {
    while (isReady) {
      isReady = (await get(url, "/readyz")).ok;
      await sleep(50);
    }
  };
  const load = Promise.all([balancer(), ...Array.from({ length: 20 }, client)]);
  await expect.poll(() => answered).toBeGreaterThan(200);
  const stoppedAt = performance.now();
  child.kill("SIGTERM");
  await load;
  const noticedAfter = performance.now() - stoppedAt;
  expect(await ended).toBe(0);
  return { outcomes, noticedAfter };
}

test("no request fails, and the process ends", async () => {
  // a balancer that a busy machine keeps from noticing within the second of notice proves nothing
  let run = await stopUnderLoad();
  for (let again = 0; again < 5 && run.noticedAfter > 700; again++) run = await stopUnderLoad();
  expect([...run.outcomes]).toEqual(["200"]);
});

test("an unfinished body gets a 503 soon after SIGTERM, and the process ends as it should", async () => {
  const { url, child, ended } = await runReady([]);
  const { text, closed } = drip(url, "/v1/graphql", [`X-API-Key: ${demoKeys[0]?.key}`]);
  for (let turn = 0; turn < 3; turn++) await get(url, "/healthz"); // the body has begun to arrive
  child.kill("SIGTERM");
  await closed;
  expect(await ended).toBe(0);
  expect(statuses(text())).toEqual(["503"]);
});

test("SIGHUP ends nothing; DRAIN_MS is the notice, in which answers close the connections that were open", async () => {
  const { url, child, ended } = await runReady(["platform"], { DRAIN_MS: "5000", STOP_TIMEOUT_MS: "30000" });
  const before = new Client(url);
  const later = new Client(url);
  onTestFinished(() => void Promise.all([before.destroy(), later.destroy()]));
  const ask = async (client: Client, path: string) => {
    const { statusCode, headers, body } = await client.request({ path, method: "GET" });
    await body.dump();
    return [statusCode, headers.connection];
  };
  child.kill("SIGHUP");
  expect(await ask(before, "/healthz")).toEqual([200, "keep-alive"]);
  child.kill("SIGTERM");
  await expect.poll(async () => (await get(url, "/readyz")).status).toBe(503);
  expect(await ask(before, "/healthz")).toEqual([200, "close"]);
  // who connects now does not read readiness, and would connect again
  expect(await ask(later, "/healthz")).toEqual([200, "keep-alive"]);
  await expect
    .poll(
      () =>
        get(url, "/healthz").then(
          () => "open",
          () => "closed",
        ),
      { timeout: 60_000 },
    )
    .toBe("closed");
  expect(await ended).toBe(0);
});

test("STOP_TIMEOUT_MS ends a process whose requests do not end", async () => {
  const { url, child, ended } = await runReady([], { DRAIN_MS: "50", STOP_TIMEOUT_MS: "300" });
  const { closed } = drip(url, "/v1/graphql", [`X-API-Key: ${demoKeys[0]?.key}`]);
  for (let turn = 0; turn < 3; turn++) await get(url, "/healthz"); // the body has begun to arrive
  child.kill("SIGTERM");
  await closed;
  expect(await ended).toBe(1);
});

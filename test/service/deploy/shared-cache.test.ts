/** A shared cache in front of the gateway, Varnish with its defaults: no tenant gets what another one was answered. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { goodKey, otherKey } from "../../engine/gateway/fakes.ts";
import { startGateway, upstream } from "../../engine/gateway/start.ts";
import { freePort } from "../../support/free-port.ts";
import { isInstalled } from "./start-balancer.ts";

async function startVarnish(behind: URL): Promise<URL> {
  const folder = mkdtempSync(join(tmpdir(), "varnish-"));
  const front = new URL(`http://127.0.0.1:${await freePort()}`);
  const child = spawn("varnishd", ["-F", "-j", "none", "-a", front.host, "-b", behind.host, "-n", folder], {
    stdio: "ignore",
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true, force: true });
  });
  const answers = () =>
    fetch(front).then(
      ({ status }) => status < 500,
      () => false,
    );
  await expect.poll(answers, { timeout: 30_000 }).toBe(true);
  return front;
}

test.skipIf(!isInstalled("varnishd")).each([
  ["max-age=60", 2],
  ["public, max-age=60", 1],
])("REST says %s: each caller gets its own answer", { timeout: 90_000 }, async (control, calls) => {
  const asked: unknown[] = [];
  const rest = await upstream(({ headers }, response) => {
    asked.push(headers["x-service-tenant-id"]);
    response.setHeader("cache-control", control);
    response.end(headers["x-service-tenant-id"]);
  });
  const { url } = await startGateway({ rest });
  const front = await startVarnish(url);
  const tenantOf = async (key: string) =>
    (await fetch(new URL("/v1/a", front), { headers: { "x-api-key": key } })).text();
  const answers = [await tenantOf(goodKey), await tenantOf(otherKey), await tenantOf(goodKey)];
  expect(answers).toEqual(["tenant-good", "tenant-other", "tenant-good"]);
  expect(asked.filter((tenant) => tenant === "tenant-good")).toHaveLength(calls);
});

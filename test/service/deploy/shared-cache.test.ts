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
  ["its own, as REST gives it a lifetime without saying whose it is", "max-age=60", "/v1/a", false],
  ["what is public from the cache", "public, max-age=60", "/v1/a", true],
])("each caller gets %s", { timeout: 90_000 }, async (_, control, path, isShared) => {
  const rest = await upstream(({ headers }, response) => {
    response.setHeader("cache-control", control);
    response.end(headers["x-service-tenant-id"]);
  });
  const { url } = await startGateway({ rest });
  const front = await startVarnish(url);
  const tenantOf = (key: string) =>
    fetch(new URL(path, front), { headers: { "x-api-key": key } }).then((answer) => answer.text());
  const [good, other] = [await tenantOf(goodKey), await tenantOf(otherKey)];
  expect(good).not.toBe("");
  expect(good === other).toBe(isShared);
});

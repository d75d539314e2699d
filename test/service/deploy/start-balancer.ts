/** HAProxy with its configuration of deploy/, on free ports, in front of processes of a test. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { expect, onTestFinished } from "vitest";
import { freePort } from "../../support/free-port.ts";

export const deploy = join(import.meta.dirname, "../../../deploy");

export const isInstalled = (name: string): boolean =>
  !spawnSync(name, ["-v"]).error && !spawnSync("openssl", ["version"]).error;

/** The ports of the processes behind it; where there is none, nobody listens. */
type Behind = { readonly gateways?: readonly [number, number]; readonly graphql?: readonly [number, number] };

export async function startBalancer({ gateways, graphql }: Behind) {
  const folder = mkdtempSync(join(tmpdir(), "balancer-"));
  const [front, inner, status, nobody] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const ports: Record<string, number> = {
    ...{ "4001": gateways?.[0] ?? nobody, "4002": gateways?.[1] ?? nobody },
    ...{ "4011": graphql?.[0] ?? nobody, "4012": graphql?.[1] ?? nobody },
    ...{ "4100": inner, "8444": front, "8404": status },
  };
  const text = readFileSync(join(deploy, "haproxy/haproxy.cfg"), "utf8");
  writeFileSync(
    join(folder, "haproxy.cfg"),
    text.replace(/\b(?:4001|4002|4011|4012|4100|8404|8444)\b/g, (port) => String(ports[port])),
  );
  const to = ["-keyout", join(folder, "tls.key"), "-out", join(folder, "tls.crt")];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", ...to],
    {
      stdio: "ignore",
    },
  );
  const pem = ["tls.crt", "tls.key"].map((name) => readFileSync(join(folder, name), "utf8")).join("");
  writeFileSync(join(folder, "tls.pem"), pem);
  const args = ["-C", folder, "-db", "-f", "haproxy.cfg"];
  const checked = spawnSync("haproxy", [...args, "-c"], { encoding: "utf8" });
  expect(checked.stderr).not.toMatch(/warn/i);
  const child: ChildProcess = spawn("haproxy", args, { stdio: "ignore" });
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false }, allowH2: false });
  onTestFinished(async () => {
    await dispatcher.destroy();
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true });
  });
  const ask = async (path: string, init: { body?: string; key?: string; accept?: string } = {}) => {
    const headers = {
      "content-type": "application/json",
      ...(init.key && { "x-api-key": init.key }),
      ...(init.accept && { accept: init.accept }),
    };
    const given =
      init.body === undefined ? { method: "GET" as const } : { method: "POST" as const, body: init.body };
    const answer = await request(`https://127.0.0.1:${front}${path}`, { ...given, headers, dispatcher });
    const text = await answer.body.text();
    const { "content-type": type, "access-control-allow-origin": origin } = answer.headers;
    return { status: answer.statusCode, type: String(type), origin, text };
  };
  await expect
    .poll(
      () =>
        ask("/readyz").then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 30_000 },
    )
    .toBe(404);
  return {
    ask,
    front: `https://127.0.0.1:${front}`,
    dispatcher,
    inner: `http://127.0.0.1:${inner}`,
    status: `http://127.0.0.1:${status}`,
    folder,
  };
}

/** What the balancers' configurations do: pass requests on, hide health, and speak in the API's shapes for themselves. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { goodKey as key } from "../gateway/fakes.ts";
import { startGateway } from "../gateway/start.ts";
import { freePort } from "../support/free-port.ts";

const deploy = join(import.meta.dirname, "../../deploy");
const isInstalled = (name: string): boolean =>
  !spawnSync(name, ["-v"]).error && !spawnSync("openssl", ["version"]).error;

const files = { nginx: ["nginx.conf", "gateway.conf"], haproxy: ["haproxy.cfg"] } as const;
type Balancer = keyof typeof files;

/** Starts a balancer with its configuration of deploy/, on free ports, in front of a gateway at `port`. */
async function start(balancer: Balancer, gateway: number) {
  const folder = mkdtempSync(join(tmpdir(), "balancer-"));
  const [front, inner, nobody] = await Promise.all([freePort(), freePort(), freePort()]);
  const ports: Record<string, number> = {
    ...{ "4001": gateway, "4002": gateway, "4011": nobody, "4012": nobody },
    ...{ "4100": inner, "8443": front, "8444": front },
  };
  for (const name of files[balancer]) {
    const text = readFileSync(join(deploy, balancer, name), "utf8");
    writeFileSync(
      join(folder, name),
      text.replace(/\b(?:4001|4002|4011|4012|4100|8443|8444)\b/g, (port) => String(ports[port])),
    );
  }
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
  const args =
    balancer === "nginx"
      ? ["-p", folder, "-c", "nginx.conf", "-g", "daemon off;"]
      : ["-C", folder, "-db", "-f", "haproxy.cfg"];
  const checked = spawnSync(balancer, [...args, balancer === "nginx" ? "-t" : "-c"], { encoding: "utf8" });
  expect(checked.stderr).not.toMatch(/warn/i);
  const child: ChildProcess = spawn(balancer, args, { stdio: "ignore" });
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false }, allowH2: false });
  onTestFinished(async () => {
    await dispatcher.destroy();
    child.kill("SIGTERM"); // nginx's workers outlive a master that is killed
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
  return { ask, inner: `http://127.0.0.1:${inner}` };
}

describe.each<Balancer>(["nginx", "haproxy"])("%s", (balancer) => {
  const timeout = 90_000;
  const isHere = isInstalled(balancer);

  test.skipIf(!isHere)("passes requests on, says whose they are, and hides health", { timeout }, async () => {
    const { url, rest } = await startGateway({ env: { TRUSTED_PROXIES: "127.0.0.1" } });
    const { ask } = await start(balancer, Number(url.port));
    await expect.poll(async () => (await ask("/v1/x", { key })).status, { timeout: 30_000 }).toBe(200);
    expect((await ask("/v1/x", { key: "none" })).status).toBe(401);
    for (const path of ["/healthz", "/readyz", "/%68ealthz", "/read%79z?a"])
      expect((await ask(path)).status, path).toBe(404);
    expect(rest.seen.every(({ headers }) => headers["x-forwarded-for"] === "127.0.0.1")).toBe(true);
  });

  test.skipIf(!isHere)(
    "without a gateway, says so in the path's shape to any page",
    { timeout },
    async () => {
      const { ask } = await start(balancer, await freePort());
      await expect.poll(async () => (await ask("/v1/x")).status, { timeout: 30_000 }).toBe(503);
      const graphql = await ask("/v1/graphql", { body: "{}" });
      expect([graphql.status, graphql.type]).toEqual([503, "application/json; charset=utf-8"]);
      expect(JSON.parse(graphql.text).errors[0].extensions.code).toBe("SERVICE_UNAVAILABLE");
      const accept = "application/graphql-response+json,application/json;q=0.9";
      const newer = await ask("/v1/graphql", { body: "{}", accept });
      expect([newer.type, newer.text]).toEqual([
        "application/graphql-response+json; charset=utf-8",
        graphql.text,
      ]);
      const rest = await ask("/v1/x");
      expect([graphql.origin, rest.origin]).toEqual(["*", "*"]);
      expect(rest.type).toBe("application/problem+json");
      expect(JSON.parse(rest.text)).toMatchObject({ status: 503, code: "SERVICE_UNAVAILABLE" });
    },
  );

  test.skipIf(!isHere)("without a graphql role, says when to ask again", { timeout }, async () => {
    const { inner } = await start(balancer, await freePort());
    const { status, headers } = await fetch(inner, { method: "POST", body: "{}" });
    expect([status, headers.get("retry-after"), headers.get("cache-control")]).toEqual([
      503,
      "1",
      "private, no-store",
    ]);
  });
});

test.skipIf(!isInstalled("nginx"))(
  "nginx refuses a body that is too large in the shape of the path, to any page",
  {
    timeout: 90_000,
  },
  async () => {
    const { ask } = await start("nginx", await freePort());
    const body = "x".repeat(1_100_000);
    const graphql = await ask("/v1/graphql", { body });
    expect([graphql.status, JSON.parse(graphql.text).errors[0].extensions.limit]).toEqual([
      413,
      "MAX_BODY_BYTES",
    ]);
    const rest = await ask("/v1/x", { body });
    expect([rest.status, rest.type, JSON.parse(rest.text).code]).toEqual([
      413,
      "application/problem+json",
      "LIMIT_EXCEEDED",
    ]);
    expect([graphql.origin, rest.origin]).toEqual(["*", "*"]);
  },
);

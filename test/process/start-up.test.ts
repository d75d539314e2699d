import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { goodKey, listen } from "../gateway/fakes.ts";
import { refusingUrl } from "../gateway/start.ts";
import { get, run, runReady } from "./program.ts";

const url = "http://127.0.0.1:9";

describe("what stops a start is one line that says how to mend it", () => {
  test.each<[string, string[], NodeJS.ProcessEnv, RegExp[]]>([
    ["a bad variable", [], { PORT: "70000" }, [/PORT: wants a port/]],
    ["two bad variables", [], { PORT: "x", REST_BASE_URL: "ftp://a" }, [/PORT: /, /REST_BASE_URL: wants/]],
    ["bad proxies", [], { TRUSTED_PROXIES: "proxy.example" }, [/TRUSTED_PROXIES: wants/]],
    ["a block of too many bits", [], { TRUSTED_PROXIES: "10.0.0.0/33" }, [/TRUSTED_PROXIES: wants/]],
    ["a block of every address", [], { TRUSTED_PROXIES: "::1/128, ::/0" }, [/TRUSTED_PROXIES: wants/]],
    ["an origin with a path", [], { CORS_ORIGINS: "https://app.example/" }, [/CORS_ORIGINS: wants origins/]],
    [
      "an origin in capitals",
      [],
      { CORS_ORIGINS: "https://a.example,https://App.example" },
      [/CORS_ORIGINS: /],
    ],
    [
      "a prefix of known headers",
      [],
      { CONTEXT_HEADER_PREFIX: "Content-" },
      [/CONTEXT_HEADER_PREFIX: .*content-type/],
    ],
    [
      "a prefix of the key's header",
      [],
      { CONTEXT_HEADER_PREFIX: "X-" },
      [/CONTEXT_HEADER_PREFIX: .*x-api-key/],
    ],
    ["an unknown role", ["gatway"], {}, [/unknown role "gatway": .*did you mean "gateway"/]],
    [
      "an unknown option",
      ["--hlep"],
      {},
      [/unknown option '--hlep'; did you mean "--help"\? \(npm start -- --help /],
    ],
    ["graphql without REST", ["graphql"], {}, [/REST_BASE_URL: graphql without platform needs it/]],
    ["a gateway alone", ["gateway"], {}, [/REST_BASE_URL: gateway/, /KEY_INTROSPECTION_URL: gateway/]],
    ["half a gateway", ["gateway"], { REST_BASE_URL: url }, [/KEY_INTROSPECTION_URL: gateway/]],
    ["an address of someone else", ["platform"], { HOST: "192.0.2.1" }, [/HOST: 192\.0\.2\.1 is no address/]],
    [
      "any origin in production",
      [],
      { NODE_ENV: "production", CORS_ORIGINS: "*" },
      [/CORS_ORIGINS: .*list the dashboards/],
    ],
    [
      "two servers on one port",
      [],
      { PORT: "4111", METRICS_PORT: "4111" },
      [/METRICS_PORT: 4111 is PORT too/],
    ],
    [
      "one caller with more connections than there are",
      [],
      { REST_CONNECTIONS: "32" },
      [/REST_CONNECTIONS_PER_CALLER: 48 is more than REST_CONNECTIONS, which is 32; set 32 or less/],
    ],
    [
      "a notice longer than the stop",
      [],
      { DRAIN_MS: "9000" },
      [/STOP_TIMEOUT_MS: 9000 is over before DRAIN_MS, which is 9000/],
    ],
    ["debug in production", [], { NODE_ENV: "production", LOG_LEVEL: "debug" }, [/LOG_LEVEL: /]],
  ])("%s", async (_name, roles, environment, lines) => {
    const program = run(roles, environment);
    expect(await program.ended).toBe(2);
    const printed = program.output().trimEnd().split("\n");
    expect(printed.length).toBe(lines.length);
    for (const [index, line] of lines.entries()) expect(printed[index]).toMatch(line);
  });

  test.each(["PORT", "METRICS_PORT"])("a taken %s", async (variable) => {
    const { url: taken, close } = await listen(() => {});
    onTestFinished(close);
    const { port } = taken;
    const program = run(["platform"], { [variable]: port });
    expect(await program.ended).toBe(2);
    expect(program.output()).toBe(
      `messaging-graphql: ${variable}: ${port} on 127.0.0.1 is taken; stop what runs there or set another ${variable}\n`,
    );
  });
});

describe("--check-config", () => {
  test("prints the configuration in force, without secrets, and starts nothing", async () => {
    const secret = "a-secret-of-the-gateway";
    const program = run(["platform", "--check-config"], {
      GATEWAY_SECRET: secret,
      MAX_DEPTH: "7",
      MAX_DEPHT: "8",
      REST_BASE_URL_CRM: "http://:word@127.0.0.1:9",
    });
    expect(await program.ended).toBe(0);
    const lines = program.output().split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        "messaging-graphql: MAX_DEPHT: is no setting and has no effect; did you mean MAX_DEPTH?",
        "roles: platform",
        "PORT=0",
        "HOST=127.0.0.1  (default)",
        "METRICS_PORT=  (not set)",
        "GATEWAY_SECRET=(secret)",
        "MAX_DEPTH=7",
      ]),
    );
    expect(program.output()).not.toMatch(/word@|ready on/);
    expect(program.output()).not.toContain(secret);
  });

  test("refuses as a start does", async () => {
    const program = run(["graphql", "--check-config"]);
    expect(await program.ended).toBe(2);
    expect(program.output()).toMatch(/^messaging-graphql: REST_BASE_URL: graphql without platform needs it/);
  });
});

test("an upstream of a product that nobody calls is one line, and the start goes on", {
  timeout: 15_000,
}, async () => {
  const { output } = await runReady([], { REST_BASE_URL_CMR: url, REST_BASE_URL_crm: url });
  for (const name of ["REST_BASE_URL_CMR", "REST_BASE_URL_crm"])
    expect(output()).toMatch(new RegExp(`${name}: is not used, .* REST_BASE_URL_CRM,`));
});

test("an address that others reach, outside production, is a warning that names the demo keys", {
  timeout: 30_000,
}, async () => {
  const open = await runReady([], { HOST: "0.0.0.0" });
  expect(open.output()).toMatch(
    /^messaging-graphql: HOST: 0\.0\.0\.0 lets other machines in, with the demo keys .*NODE_ENV=production$/m,
  );
  const own = await runReady([], { HOST: "127.0.0.1" });
  const production = await runReady([], { HOST: "0.0.0.0", NODE_ENV: "production" });
  for (const { output } of [own, production]) expect(output()).not.toMatch(/HOST: /);
});

test("an unreachable product is waited for beside a platform too", { timeout: 15_000 }, async () => {
  const inbox = await refusingUrl();
  const { url: at, output } = await runReady([], { REST_BASE_URL_INBOX: inbox.href });
  expect(output()).toMatch(/REST_BASE_URL_INBOX: \S+ cannot be reached \(ECONNREFUSED\)/);
  expect(output()).toMatch(/listens on http:\S+, not ready: waiting for REST_BASE_URL_INBOX$/m);
  expect(output()).not.toMatch(/ready on/);
  const ready = await get(at, "/readyz");
  expect([ready.status, await ready.json()]).toEqual([503, { status: "waiting for REST_BASE_URL_INBOX" }]);
});

test("an unreachable upstream is one line and not ready, until it is reached", {
  timeout: 15_000,
}, async () => {
  const rest = await refusingUrl();
  const {
    url: at,
    output,
    prints,
  } = await runReady(["gateway"], {
    REST_BASE_URL: rest.href,
    KEY_INTROSPECTION_URL: rest.href,
  });
  expect(output()).toMatch(/REST_BASE_URL: \S+ cannot be reached \(ECONNREFUSED\)/);
  expect((await get(at, "/readyz")).status).toBe(503);
  expect((await get(at, "/healthz")).status).toBe(200);
  const server = createServer((_request, response) => response.end()).listen(Number(rest.port), "127.0.0.1");
  onTestFinished(() => void server.close());
  await prints(/REST_BASE_URL: reached/);
  await prints(/KEY_INTROSPECTION_URL: reached/);
  expect(output().match(/reached; ready now/g)).toHaveLength(1);
  expect((await get(at, "/readyz")).status).toBe(200);
  expect(output()).not.toMatch(/^ +at /m);
});

/** A gateway in front of a service that answers each request after `ms`, and its keys at once. */
async function slowService(ms: number): Promise<NodeJS.ProcessEnv> {
  const { contextOf } = await import("../gateway/fakes.ts");
  const service = await listen(async (request, response) => {
    if (request.url !== "/keys") await sleep(ms);
    response.end(JSON.stringify(request.url === "/keys" ? contextOf("a") : {}));
  });
  onTestFinished(service.close);
  return { REST_BASE_URL: service.url.href, KEY_INTROSPECTION_URL: new URL("/keys", service.url).href };
}

describe("stopping", { timeout: 20_000 }, () => {
  const production = { NODE_ENV: "production", GATEWAY_SECRET: "a-secret-of-the-gateway" };

  test("SIGINT stops at once, whatever is under way", async () => {
    const { child, url: at, ended } = await runReady(["gateway"], await slowService(5_000));
    const call = get(at, "/v1/a", goodKey).catch(() => "broken off");
    await sleep(300);
    const stoppedAt = performance.now();
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(1_000);
    expect(await call).toBe("broken off");
  });

  test("SIGTERM: readiness fails first, what is under way finishes, then the process ends", async () => {
    const environment = { ...(await slowService(2_000)), ...production };
    const { child, url: at, ended } = await runReady(["gateway"], environment);
    const call = get(at, "/v1/a", goodKey);
    await sleep(300);
    child.kill("SIGTERM");
    await sleep(200);
    const readiness = await get(at, "/readyz");
    expect([readiness.status, readiness.headers.get("connection")]).toEqual([503, "close"]);
    expect((await call).status).toBe(200);
    expect(await ended).toBe(0);
  });

  test("SIGTERM: within ten seconds it is gone in any case", async () => {
    const environment = { ...(await slowService(14_000)), ...production };
    const { child, url: at, ended } = await runReady(["gateway"], environment);
    const call = get(at, "/v1/a", goodKey).catch(() => "broken off");
    await sleep(300);
    const stoppedAt = performance.now();
    child.kill("SIGTERM");
    await ended;
    expect(performance.now() - stoppedAt).toBeLessThan(10_000);
    expect(await call).toBe("broken off");
  });

  test("a signal to npm start reaches the program", async () => {
    const npm = spawn("npm", ["start", "--", "platform"], {
      cwd: new URL("../..", import.meta.url),
      env: { ...process.env, PORT: "0" },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    onTestFinished(() => {
      try {
        process.kill(-(npm.pid as number), "SIGKILL");
      } catch {
        // it is gone, as it should be
      }
    });
    let printed = "";
    npm.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
    await expect.poll(() => printed, { timeout: 10_000 }).toMatch(/ready on/);
    npm.kill("SIGTERM");
    await once(npm.stdout, "close"); // once nobody holds it any more
  });
});

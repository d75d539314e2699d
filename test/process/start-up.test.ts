import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { contextOf, goodKey, listen } from "../gateway/fakes.ts";
import { refusingUrl } from "../gateway/start.ts";
import { programEnvironment } from "../support/child-process.ts";
import { get, run, runHere, runReady } from "./program.ts";

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
    ["an address of someone else", ["platform"], { HOST: "192.0.2.1" }, [/HOST: 192\.0\.2\.1 is no address/]],
    [
      "a notice longer than the stop",
      [],
      { DRAIN_MS: "9000" },
      [/STOP_TIMEOUT_MS: 9000 is over before DRAIN_MS, which is 9000/],
    ],
    ["debug in production", [], { NODE_ENV: "production", LOG_LEVEL: "debug" }, [/LOG_LEVEL: /]],
  ])("%s", async (_name, roles, environment, lines) => {
    const { exitCode, printed } = await runHere(roles, environment);
    expect(exitCode).toBe(2);
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
    const { exitCode, printed } = await runHere(["platform", "--check-config"], {
      GATEWAY_SECRET: secret,
      MAX_DEPTH: "7",
      MAX_DEPHT: "8",
      REDIS_URL: "redis://:word@127.0.0.1:9/0?password=other-word",
    });
    expect(exitCode).toBe(0);
    expect(printed).toEqual(
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
    expect(printed.join("\n")).not.toMatch(/word@|=other-word|ready on/);
    expect(printed.join("\n")).not.toContain(secret);
  });

  test("prints no character that steers a terminal", async () => {
    const steering = "\u001b]0;title\u0007\u009b31m\u202e";
    const environment = { HOST: steering, [`REST_BASE_URL_${steering}`]: url };
    const { exitCode, printed } = await runHere(["--check-config"], environment);
    const text = printed.join("\n");
    expect(exitCode).toBe(0);
    expect(text).toContain("HOST: \uFFFD]0;title\uFFFD");
    expect(text).toContain("HOST=\uFFFD]0;title\uFFFD");
    for (const unit of ["\u001b", "\u0007", "\u009b", "\u202e"]) expect(text).not.toContain(unit);
  });

  test("refuses as a start does", async () => {
    const { exitCode, printed } = await runHere(["graphql", "--check-config"], {});
    expect(exitCode).toBe(2);
    expect(printed[0]).toMatch(/^messaging-graphql: REST_BASE_URL: graphql without platform needs it/);
  });
});

test("doubtful settings are warnings of a line each, and the start goes on", async () => {
  const doubtful = { REST_BASE_URL_CMR: url, REST_BASE_URL_crm: url, HOST: "0.0.0.0" };
  const { output } = await runReady([], doubtful);
  const { printed } = await runHere(["--check-config"], doubtful);
  for (const text of [output(), printed.join("\n")]) {
    for (const name of ["REST_BASE_URL_CMR", "REST_BASE_URL_crm"])
      expect(text).toMatch(
        new RegExp(`^messaging-graphql: ${name}: is not used, .* REST_BASE_URL_CRM,`, "m"),
      );
    expect(text).toMatch(openAddress);
  }
});

const openAddress =
  /^messaging-graphql: HOST: 0\.0\.0\.0 lets other machines in, with the demo keys .*NODE_ENV=production$/m;

test("an address that others reach, outside production, is a warning that names the demo keys", async () => {
  const warned = async (environment: NodeJS.ProcessEnv): Promise<boolean> =>
    openAddress.test((await runHere(["--check-config"], environment)).printed.join("\n"));
  expect(await warned({ HOST: "0.0.0.0" })).toBe(true);
  expect(await warned({ HOST: "127.0.0.1" })).toBe(false);
  expect(await warned({ HOST: "0.0.0.0", NODE_ENV: "production" })).toBe(false);
});

test.each(["http://user@127.0.0.1:9", "http://:word@127.0.0.1:9"])(
  "%s is no URL of a service",
  async (given) => {
    const { exitCode, printed } = await runHere(["--check-config"], { REST_BASE_URL_CRM: given });
    expect(exitCode).toBe(2);
    expect(printed.join("\n")).toContain("REST_BASE_URL_CRM: wants a URL without query, fragment or user");
  },
);

test.each([
  [
    "TRUSTED_PROXIES",
    "127.0.0.1",
    "a proxy in front lets other machines in, with the demo keys printed here, the",
  ],
  ["API_ENVIRONMENT", "live", "live keys are taken, with the"],
])("%s without NODE_ENV is a warning, also on loopback", async (name, value, reason) => {
  const printed = async (environment: NodeJS.ProcessEnv): Promise<string> =>
    (await runHere(["--check-config"], environment)).printed.join("\n");
  const warning = `${name}: ${reason} explorer and no rate limits; set NODE_ENV=production`;
  expect(await printed({ [name]: value })).toContain(warning);
  expect(await printed({ [name]: value, NODE_ENV: "production" })).not.toContain("no rate limits");
});

test("an unreachable product is waited for beside a platform too", async () => {
  const inbox = await refusingUrl();
  const { url: at, output } = await runReady([], { REST_BASE_URL_INBOX: inbox.href });
  expect(output()).toMatch(/REST_BASE_URL_INBOX: \S+ is not usable \(ECONNREFUSED: nobody listens there\)/);
  expect(output()).toMatch(/listens on http:\S+, not ready: waiting for REST_BASE_URL_INBOX \(/m);
  expect(output()).not.toMatch(/ready on/);
  const ready = await get(at, "/readyz");
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { status: "waiting for REST_BASE_URL_INBOX (ECONNREFUSED: nobody listens there)" },
  ]);
});

test("an unreachable upstream is one line and not ready, until it is reached", async () => {
  const rest = await refusingUrl();
  const {
    url: at,
    output,
    prints,
  } = await runReady(["gateway"], {
    REST_BASE_URL: rest.href,
    KEY_INTROSPECTION_URL: rest.href,
  });
  expect(output()).toMatch(/REST_BASE_URL: \S+ is not usable \(ECONNREFUSED: nobody listens there\)/);
  expect((await get(at, "/readyz")).status).toBe(503);
  expect((await get(at, "/healthz")).status).toBe(200);
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end('{"active":false}');
  }).listen(Number(rest.port), "127.0.0.1");
  onTestFinished(() => void server.close());
  await prints(/REST_BASE_URL: reached/);
  await prints(/KEY_INTROSPECTION_URL: reached/);
  expect(output().match(/reached; ready now/g)).toHaveLength(1);
  expect((await get(at, "/readyz")).status).toBe(200);
  expect(output()).not.toMatch(/^ +at /m);
});

/** A gateway in production, and one call of it that its upstream answers when told to. */
async function gatewayWithCall() {
  const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const service = await listen(async (request, response) => {
    if (request.url === "/v1/a") {
      arrived.resolve();
      await answered.promise;
    }
    response.end(JSON.stringify(request.url === "/keys" ? contextOf("a") : {}));
  });
  onTestFinished(service.close);
  const program = await runReady(["gateway"], {
    NODE_ENV: "production",
    GATEWAY_SECRET: "a-secret-of-the-gateway",
    REST_BASE_URL: service.url.href,
    KEY_INTROSPECTION_URL: new URL("/keys", service.url).href,
    CALL_TIMEOUT_MS: "60000",
    REQUEST_TIMEOUT_MS: "60000",
  });
  const call = get(program.url, "/v1/a", goodKey).then(
    ({ status }) => status,
    () => "broken off",
  );
  await arrived.promise;
  return { ...program, call, answer: answered.resolve };
}

describe("stopping", () => {
  test("SIGINT stops at once, whatever is under way", async () => {
    const { child, call, ended } = await gatewayWithCall();
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(await call).toBe("broken off");
  });

  test("SIGTERM: readiness fails first, what is under way finishes, then the process ends", async () => {
    const { child, url: at, call, answer, ended } = await gatewayWithCall();
    child.kill("SIGTERM");
    let readiness = await get(at, "/readyz");
    while (readiness.status === 200) readiness = await get(at, "/readyz");
    expect(readiness.status).toBe(503);
    answer();
    expect(await call).toBe(200);
    expect(await ended).toBe(0);
  });

  test("SIGTERM: the process ends after nine seconds in any case", async () => {
    const { child, call, ended } = await gatewayWithCall();
    const stoppedAt = performance.now();
    child.kill("SIGTERM");
    expect(await ended).toBe(1);
    expect(performance.now() - stoppedAt).toBeLessThan(30_000); // the call would have gone on for a minute
    expect(await call).toBe("broken off");
  });

  test("a signal to npm start reaches the program", async () => {
    const npm = spawn("npm", ["start", "--", "platform"], {
      cwd: new URL("../..", import.meta.url),
      env: { ...programEnvironment, PORT: "0" },
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
    await expect.poll(() => printed).toMatch(/ready on/);
    npm.kill("SIGTERM");
    await once(npm.stdout, "close"); // once nobody holds it any more
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { contextOf, goodKey, listen } from "../../engine/gateway/fakes.ts";
import { refusingUrl } from "../../engine/gateway/start.ts";
import { programEnvironment } from "../../support/child-process.ts";
import { freePort } from "../../support/free-port.ts";
import { type Answer, keys } from "../e2e/layer.ts";
import { get, query, run, runHere, runReady } from "./program.ts";

const url = "http://127.0.0.1:9";

test.each(["PORT", "METRICS_PORT"])("a taken %s", async (variable) => {
  const { url: taken, close } = await listen(() => {});
  onTestFinished(close);
  const { port } = taken;
  const program = run(["platform"], { [variable]: port });
  expect(await program.ended).toBe(2);
  expect(program.output()).toBe(
    `messaging-graphql: ${variable}: ${port} on 127.0.0.1 is in use; stop the process that listens there or set another ${variable}\n`,
  );
});

describe("--check-config", () => {
  test("prints the configuration in force, without secrets, and starts nothing", async () => {
    const secret = "a-secret-of-the-gateway";
    const { exitCode, printed } = await runHere(["platform", "--check-config"], {
      GATEWAY_SECRET: secret,
      MAX_DEPTH: "7",
      MAX_DEPHT: "8",
      REDIS_URL: "redis://:word@127.0.0.1:9/0?password=other-word",
      OPERATIONS_FROM:
        "/apps,web=https://cdn.example/web.json?token=other-word,crm=https://me:word@cdn.example/crm.json#other-word",
    });
    expect(exitCode).toBe(0);
    expect(printed).toEqual(
      expect.arrayContaining([
        "messaging-graphql: MAX_DEPHT: is not a setting and has no effect; did you mean MAX_DEPTH?",
        "roles: platform",
        "PORT=0",
        "HOST=127.0.0.1  (default)",
        "METRICS_PORT=  (not set)",
        "GATEWAY_SECRET=(secret)",
        "MAX_DEPTH=7",
        "OPERATIONS_FROM=/apps,web=https://cdn.example/web.json?(secret),crm=https://(secret)@cdn.example/crm.json#(secret)",
      ]),
    );
    expect(printed.join("\n")).not.toMatch(/word@|[=#]other-word|ready on/);
    expect(printed.join("\n")).not.toContain(secret);
  });

  test("prints no character that steers a terminal", async () => {
    const steering = "\u001b]0;title\u0007\u009b31m\u202e";
    const environment = { DATA_FILE: steering, [`REST_BASE_URL_${steering}`]: url };
    const { exitCode, printed } = await runHere(["--check-config"], environment);
    const text = printed.join("\n");
    expect(exitCode).toBe(0);
    expect(text).toContain("REST_BASE_URL_\uFFFD]0;title\uFFFD");
    expect(text).toContain("DATA_FILE=\uFFFD]0;title\uFFFD");
    for (const unit of ["\u001b", "\u0007", "\u009b", "\u202e"]) expect(text).not.toContain(unit);
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

test("an unreachable product is a warning beside a platform, which serves the others", async () => {
  const inbox = await refusingUrl();
  const { url: at, output } = await runReady([], { REST_BASE_URL_INBOX: inbox.href });
  expect(output()).toMatch(
    /REST_BASE_URL_INBOX: \S+ is not usable \(ECONNREFUSED: nothing listens there\); its fields fail until it is/,
  );
  expect(output()).toMatch(/is ready on http:/m);
  const ready = await get(at, "/readyz");
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: "ok", warnings: ["waiting for REST_BASE_URL_INBOX (ECONNREFUSED: nothing listens there)"] },
  ]);
});

test("a role is not ready while its first probes are under way", async () => {
  const key = await refusingUrl();
  const rest = await listen(() => {}); // REST accepts, and answers nothing
  onTestFinished(rest.close);
  const port = await freePort();
  const program = run(["gateway"], {
    PORT: String(port),
    REST_BASE_URL: rest.url.href,
    KEY_INTROSPECTION_URL: key.href,
    GATEWAY_SECRET: "a-secret-of-the-gateway",
  });
  const statuses = new Set<string>();
  const ready = async () => {
    const answer = await get(new URL(`http://127.0.0.1:${port}`), "/readyz").catch(() => undefined);
    if (answer) statuses.add(`${answer.status} ${((await answer.json()) as { status: string }).status}`);
    return statuses.size;
  };
  await expect.poll(ready, { interval: 20, timeout: 60_000 }).toBeGreaterThan(0);
  expect([...statuses]).toEqual(["503 starting"]);
  await program.stop();
});

/** A product that answers any request from now on. */
async function productAt({ port }: URL): Promise<void> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end("{}");
  });
  onTestFinished(() => void server.close());
  await once(server.listen(Number(port), "127.0.0.1"), "listening");
}

test("without any product a role is not ready; with the first one it is, and the others are warnings", async () => {
  const rest = await refusingUrl();
  const inbox = await refusingUrl();
  const { url: at, prints } = await runReady(["graphql"], {
    REST_BASE_URL: rest.href,
    REST_BASE_URL_INBOX: inbox.href,
  });
  const ready = async () => {
    const answer = await get(at, "/readyz");
    return [answer.status, await answer.json()];
  };
  const why = (variable: string) => `waiting for ${variable} (ECONNREFUSED: nothing listens there)`;
  expect(await ready()).toEqual([
    503,
    { status: [why("REST_BASE_URL"), why("REST_BASE_URL_INBOX")].join(", ") },
  ]);
  await productAt(inbox);
  await prints(/REST_BASE_URL_INBOX: reached; ready now/);
  expect(await ready()).toEqual([200, { status: "ok", warnings: [why("REST_BASE_URL")] }]);
  await productAt(rest);
  await prints(/REST_BASE_URL: reached$/m);
  expect(await ready()).toEqual([200, { status: "ok" }]);
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
  expect(output()).toMatch(/REST_BASE_URL: \S+ is not usable \(ECONNREFUSED: nothing listens there\)/);
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

test("a restart of the whole chain while one product is unreachable serves the other products", async () => {
  const secret = { GATEWAY_SECRET: "a-secret-of-the-gateway" };
  const platform = await runReady(["platform"], secret);
  const crm = await refusingUrl();
  const graphql = await runReady(["graphql"], {
    ...secret,
    REST_BASE_URL: platform.url.href,
    REST_BASE_URL_CRM: crm.href,
  });
  const gateway = (rest: URL) =>
    runReady(["gateway"], {
      ...secret,
      REST_BASE_URL: rest.href,
      KEY_INTROSPECTION_URL: new URL("/internal/keys/introspect", platform.url).href,
      GRAPHQL_URL: graphql.url.href,
    });
  const why = "(ECONNREFUSED: nothing listens there)";
  for (const [{ url: at }, warnings] of [
    [graphql, [`waiting for REST_BASE_URL_CRM ${why}`]],
    [await gateway(platform.url), undefined],
    // the REST paths of the gateway are one product too: GraphQL reaches the others
    [await gateway(crm), [`waiting for REST_BASE_URL ${why}`]],
  ] as const) {
    const ready = await get(at, "/readyz");
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: "ok", ...(warnings && { warnings }) },
    ]);
    if (at === graphql.url) continue;
    const { data, errors } = (await query(at, "{ me { id } contacts { id } }", keys.owner)) as Answer;
    expect(data).toEqual({ me: { id: expect.any(String) }, contacts: null });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["UPSTREAM_UNAVAILABLE"]);
  }
});

/** A gateway in production, and one call of it that its upstream answers when told to. */
async function gatewayWithCall() {
  const arrived = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
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
      cwd: new URL("../../..", import.meta.url),
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

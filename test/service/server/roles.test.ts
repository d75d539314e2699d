import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { startupMessage } from "../../../src/engine/server/process-logger.ts";
import { service } from "../../../src/main.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";
import { openStore } from "../../../src/platform/store/store.ts";
import { openLayer } from "../e2e/layer.ts";
import { get, query, run, runReady } from "./program.ts";

const key = demoKeys[0]!.key;
const secret = { GATEWAY_SECRET: "a-secret-of-the-gateway" };
const me = { data: { me: { id: demoKeys[0]!.user } } };
const askMe = "{ me { id } }";

/** The command that a start prints works as it stands. */
async function expectCommandToWork(output: string): Promise<void> {
  const command = /try:\n\s+(curl .*)/.exec(output)?.[1] ?? "";
  const { stdout } = await promisify(execFile)("sh", ["-c", command]);
  expect(JSON.parse(stdout)).toEqual(expect.not.objectContaining({ errors: expect.anything() }));
  expect(stdout).toContain("@");
}

describe("each combination of roles starts and serves", () => {
  test("all in one: REST and GraphQL behind the gateway", async () => {
    const { url, output } = await runReady([]);
    expect((await get(url, "/v1/identity/me", key)).status).toBe(200);
    expect((await get(url, "/v1/identity/me")).status).toBe(401);
    expect((await get(url, "/internal/keys/introspect", key)).status).toBe(404);
    expect(await query(url, askMe, key)).toEqual(me);
    await expectCommandToWork(output());
  });

  test("gateway platform: REST without GraphQL; and graphql in front of it, on another port", async () => {
    const { url, output } = await runReady(["gateway", "platform"]);
    expect((await get(url, "/v1/identity/me", key)).status).toBe(200);
    expect((await get(url, "/v1/graphql", key)).status).toBe(404);
    await expectCommandToWork(output());
    const graphql = await openLayer(["graphql"], { REST_BASE_URL: url.href });
    expect(await query(graphql.url, askMe, key)).toEqual(me);
  });

  test("graphql in front of a platform, and a gateway in front of both, each on its own", async () => {
    const platform = await openLayer(["platform"], secret);
    const graphql = await openLayer(["graphql"], { ...secret, REST_BASE_URL: platform.url.href });
    const { url } = await openLayer(["gateway"], {
      ...secret,
      REST_BASE_URL: platform.url.href,
      KEY_INTROSPECTION_URL: new URL("/internal/keys/introspect", platform.url).href,
      GRAPHQL_URL: graphql.url.href,
    });
    expect(await query(url, askMe, key)).toEqual(me);
    const many = Object.fromEntries(Array.from({ length: 52 }, (_, index) => [`x-${index}`, "a"]));
    for (const extra of [many, { "x-large": "a".repeat(15_800) }]) {
      const answer = await fetch(new URL("/v1/identity/me", url), {
        headers: { "x-api-key": key, ...extra },
      });
      expect(answer.status).toBe(200); // the gateway's own headers do not count
    }
    expect(await query(graphql.url, askMe, key)).toEqual(me);
  });

  test("graphql platform: GraphQL in front", async () => {
    const { url } = await openLayer(["graphql", "platform"]);
    expect(await query(url, askMe, key)).toEqual(me);
  });
});

test("no demo key and no command is printed where none would work", async () => {
  const textOf = async (roles: string[], environment: NodeJS.ProcessEnv): Promise<string> => {
    const config = readConfig(environment, roles);
    return startupMessage(
      config,
      service,
      { url: new URL("http://127.0.0.1:4000") },
      { unready: [], brief: false },
    );
  };
  expect(await textOf([], {})).toMatch(/demo keys:[\s\S]+try:[\s\S]+sk_test_/);
  const live = await textOf([], { API_ENVIRONMENT: "live" });
  expect(live).toContain("explorer: ");
  const file = join(mkdtempSync(join(tmpdir(), "own-")), "platform.sqlite");
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  const store = openStore(file);
  store.tenant("ten_own").run("insertTenant", { name: "Own", features: "[]", demo: 0 });
  store.close();
  const own = await textOf(["platform"], { DATA_FILE: file });
  for (const text of [live, own]) expect(text).not.toMatch(/demo|try|sk_test_/);
  const saved = await textOf([], { OPERATIONS: "saved" });
  expect(saved).toMatch(/try:\n {2}curl -s http:\/\/127\.0\.0\.1:4000\/v1\/identity\/me /);
  expect(saved).not.toContain("explorer: ");
});

test("graphql alone loads neither platform, gateway, metrics nor traces", async () => {
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => (process.stderr.write("load " + url + "\\n"), next(url, context)) });`;
  const loader = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`];
  const program = run(["graphql"], { REST_BASE_URL: "http://127.0.0.1:9" }, loader);
  await program.prints(/listens on/);
  expect(program.output()).toMatch(/load \S+\/src\/engine\/runtime\/graphql\//);
  expect(program.output()).not.toMatch(/load \S+\/src\/(?:platform|engine\/gateway)\//);
  expect(program.output()).not.toMatch(/load node:sqlite|prom-client|@opentelemetry/);
});

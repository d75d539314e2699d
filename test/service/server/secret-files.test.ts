/** Secrets in files, which change while the process runs. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createInject } from "../../../src/engine/gateway/inject.ts";
import { hasProof, proofHeader } from "../../../src/engine/runtime/http/gateway-proof.ts";
import { ConfigError, readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { start } from "../../../src/engine/server/program.ts";
import { service } from "../../../src/main.ts";
import { demoKeys } from "../../../src/platform/demo/demo.ts";

const first = "first-secret-of-16";
const second = "second-secret-of-16";
/** Milliseconds that the clock is ahead. */
let ahead = 0;

beforeEach(() => {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + ahead);
  onTestFinished(() => clock.mockRestore());
});

function secretFile() {
  const folder = mkdtempSync(join(tmpdir(), "secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "secret");
  const write = (text: string): void => {
    writeFileSync(path, text);
    ahead += 1_100;
  };
  write(`${first}\n`);
  return { path, write, remove: () => rmSync(path) };
}

test("a changed secret is accepted and sent within a second or so, and the one before no longer", () => {
  const { path, write } = secretFile();
  const { env, secretFiles, ...rest } = readConfig({ GATEWAY_SECRET_FILE: path }, ["gateway"]);
  const lines: string[] = [];
  secretFiles.report = (line) => lines.push(line);
  const inject = createInject({ env, secretFiles, ...rest });
  const caller = {
    ...{ tenantId: "t", userId: "u", apiKeyId: "k" },
    roles: [],
    permissions: [],
    features: [],
    keyScopes: [],
    teams: [],
  };
  const sent = () => inject({}, { id: "1", ip: "::1", record: {} } as never, caller as never)[proofHeader];
  expect([hasProof(env, first), sent()]).toEqual([true, first]);
  write(second);
  expect([hasProof(env, first), hasProof(env, second), sent()]).toEqual([false, true, second]);
  expect(lines).toEqual(["GATEWAY_SECRET_FILE: the new value is in use"]);
});

test("while a secret and the one before are exchanged, both are accepted", () => {
  const current = secretFile();
  const old = secretFile();
  old.write(second);
  const files = { GATEWAY_SECRET_FILE: current.path, GATEWAY_SECRET_OLD_FILE: old.path };
  const { env } = readConfig(files, ["graphql"]);
  const accepted = () => [first, second].map((each) => hasProof(env, each));
  expect(env.GATEWAY_SECRET).toBe(first);
  ahead += 600;
  expect(env.GATEWAY_SECRET_OLD).toBe(second);
  ahead += 600; // the first would be read again now, and the second later
  writeFileSync(current.path, second);
  writeFileSync(old.path, first);
  expect([accepted(), env.GATEWAY_SECRET]).toEqual([[true, true], second]);
});

test.each([
  ["that is too short", (file: ReturnType<typeof secretFile>) => file.write("short"), /must be|at least/],
  ["that is gone", ({ remove }: ReturnType<typeof secretFile>) => remove(), /ENOENT/],
])("a file %s leaves the last value, and is reported once, without the text", (_name, change, reason) => {
  const file = secretFile();
  const { env, secretFiles } = readConfig({ GATEWAY_SECRET_FILE: file.path }, ["graphql"]);
  const lines: string[] = [];
  secretFiles.report = (line) => lines.push(line);
  change(file);
  for (let times = 0; times < 3; times++) {
    ahead += 1_100;
    expect(env.GATEWAY_SECRET).toBe(first);
  }
  expect(lines).toEqual([expect.stringMatching(reason)]);
  expect(lines[0]).not.toContain("short");
  file.write(second);
  expect(env.GATEWAY_SECRET).toBe(second);
});

test("Redis is opened with the password of the file, whichever it is then", () => {
  const { path, write } = secretFile();
  write("redis://:one@localhost:6379");
  const { env } = readConfig({ REDIS_URL_FILE: path }, ["gateway"]);
  expect(env.REDIS_URL).toMatchObject({ password: "one" });
  write("redis://:two@localhost:6379");
  expect(env.REDIS_URL).toMatchObject({ password: "two" });
});

test("all roles of a process follow the file: no request fails", async () => {
  const { path, write } = secretFile();
  const environment = { PORT: "0", LOG_LEVEL: "silent", GATEWAY_SECRET_FILE: path };
  const running = await start(readConfig(environment, []), service);
  onTestFinished(async () => {
    for (const server of running.servers) await server.close();
  });
  const ask = async () => {
    const headers = { "content-type": "application/json", "x-api-key": demoKeys[0]?.key ?? "" };
    const body = '{"query":"{ me { id } }"}';
    return (await fetch(new URL("/v1/graphql", running.url), { method: "POST", headers, body })).json();
  };
  const answer = { data: { me: { id: expect.any(String) } } };
  expect(await ask()).toEqual(answer);
  write(second);
  expect(await ask()).toEqual(answer);
});

test("a start refuses a file that is missing", () => {
  expect(() => readConfig({ GATEWAY_SECRET_FILE: "/nowhere" }, [])).toThrow(ConfigError);
});

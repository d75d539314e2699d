/** Secrets from files, the rotation of the gateway's secret, and settings that production refuses or warns of. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hasProof } from "../../../src/engine/runtime/http/gateway-proof.ts";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { fakeKeyService, goodKey, recorder } from "../../engine/gateway/fakes.ts";
import { get, run, runReady } from "./program.ts";

const url = "http://127.0.0.1:9";
const gateway = { REST_BASE_URL: url, KEY_INTROSPECTION_URL: url };

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "secret-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "secret"), text);
  return join(folder, "secret");
}

test("production refuses a gateway whose services cannot know it", async () => {
  const refused = run(["gateway"], { ...gateway, NODE_ENV: "production" });
  expect(await refused.ended).toBe(2);
  expect(JSON.parse(refused.output()).msg).toMatch(/^GATEWAY_SECRET: is not set, /);
  const elsewhere = await runReady(["gateway"], gateway);
  expect(elsewhere.output()).toMatch(/GATEWAY_SECRET: is not set/);
});

test("a secret is read from a file, without its trailing line break", () => {
  const secret = "a-secret-of-the-gateway";
  const read = (environment: NodeJS.ProcessEnv) => readConfig(environment, ["platform"]).env.GATEWAY_SECRET;
  expect(read({ GATEWAY_SECRET_FILE: file(`${secret}\n`) })).toBe(secret);
  expect(() => read({ GATEWAY_SECRET_FILE: "/nowhere/secret" })).toThrow(
    "GATEWAY_SECRET_FILE: the file cannot be read (ENOENT)",
  );
  expect(() => read({ GATEWAY_SECRET_FILE: file(secret), GATEWAY_SECRET: secret })).toThrow(
    "GATEWAY_SECRET_FILE: GATEWAY_SECRET is set too; set one of them",
  );
  expect(() => read({ GATEWAY_SECRET_FILE: file("short") })).toThrow(/GATEWAY_SECRET: must be at least 16/);
});

test("while the secret is rotated, both prove the gateway", () => {
  const now = "the-secret-of-today";
  const old = "the-secret-before-it";
  const both = { GATEWAY_SECRET: now, GATEWAY_SECRET_OLD: old };
  expect([now, old, "the-secret-of-nobody", undefined].map((given) => hasProof(both, given))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(hasProof({ GATEWAY_SECRET: now, GATEWAY_SECRET_OLD: undefined }, old)).toBe(false);
  expect(hasProof({ GATEWAY_SECRET: undefined, GATEWAY_SECRET_OLD: undefined }, "")).toBe(false);
});

test("a proxy that is not trusted is warned of, once", async () => {
  const [keys, rest] = await Promise.all([fakeKeyService(), recorder()]);
  onTestFinished(async () => void (await Promise.all([keys.close(), rest.close()])));
  const services = { REST_BASE_URL: rest.url.href, KEY_INTROSPECTION_URL: keys.url.href };
  const headers = { "x-api-key": goodKey, "x-forwarded-for": "192.0.2.1" };
  for (const [trusted, lines] of [
    ["", 1],
    ["127.0.0.1", 0],
  ] as const) {
    const program = await runReady(["gateway"], { ...services, TRUSTED_PROXIES: trusted });
    await get(program.url, "/v1/x", goodKey);
    for (let asked = 0; asked < 3; asked++) await fetch(new URL("/v1/x", program.url), { headers });
    await program.stop("SIGINT");
    expect(program.output().match(/TRUSTED_PROXIES is not set/g) ?? []).toHaveLength(lines);
  }
});

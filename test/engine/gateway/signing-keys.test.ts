/** The issuer's public keys: when they are read, what happens while they cannot be, and how a change reaches cached tokens. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { keptMs } from "../../../src/engine/gateway/signing-keys.ts";
import { jwksEndpoint, type KeyPair, keyPair, setOf, sign, tokenEnv } from "./issuer.ts";
import { startGateway } from "./start.ts";

let first: KeyPair;
let second: KeyPair;
beforeAll(async () => {
  [first, second] = await Promise.all([keyPair("1", "ES256"), keyPair("2", "ES256")]);
});

/** Milliseconds by which the monotonic clock is ahead. */
let ahead = 0;
const real = performance.now.bind(performance);
beforeEach(() => {
  ahead = 0;
  vi.spyOn(performance, "now").mockImplementation(() => real() + ahead);
});

async function gateway(jwks: URL | string) {
  const { url, gateway: server } = await startGateway({ env: tokenEnv(jwks) });
  const ask = async (token: string): Promise<number> =>
    (await fetch(new URL("/v1/things", url), { headers: { authorization: `Bearer ${token}` } })).status;
  return { ask, server };
}

test("a new key is read for the first token that names it, and unknown ones cause one read in 30 s", async () => {
  const jwks = await jwksEndpoint(first);
  const { ask } = await gateway(jwks.url);
  expect(await ask(await sign(first))).toBe(200);
  jwks.answer = (_request, response) => response.end(JSON.stringify(setOf(first, second)));
  ahead += 30_000;
  const rotated = await sign(second);
  expect(await Promise.all([ask(rotated), ask(rotated)])).toEqual([200, 200]);
  expect(jwks.reads).toBe(2);
  const unknown = await Promise.all(
    Array.from({ length: 40 }, (_, at) => sign(first, {}, { kid: `x${at}` })),
  );
  expect(new Set(await Promise.all(unknown.map(ask)))).toEqual(new Set([401]));
  expect(jwks.reads).toBe(2);
  ahead += 30_000;
  expect(new Set(await Promise.all(unknown.map(ask)))).toEqual(new Set([401]));
  expect(jwks.reads).toBe(3);
});

test("known keys count during an outage for an hour, and no longer", async () => {
  const jwks = await jwksEndpoint(first);
  const { ask, server } = await gateway(jwks.url);
  expect(await ask(await sign(first))).toBe(200);
  await jwks.close();
  ahead += 300_000;
  expect(await ask(await sign(first))).toBe(200);
  await expect.poll(() => server.tokens?.keys.failures).toBeGreaterThan(0);
  expect(await ask(await sign(second)), "may be signed by a new key").toBe(503);
  ahead += keptMs - 310_000;
  expect(await ask(await sign(first))).toBe(200);
  ahead += 20_000;
  expect(await ask(await sign(first))).toBe(503);
});

const faults: Record<string, RequestListener> = {
  "a 500": (_, response) => response.writeHead(500).end(),
  "a redirect": (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
  "no JSON": (_, response) => response.end("<html>"),
  "no set": (_, response) => response.end('{"keys":"no"}'),
  "70 kB": (_, response) => response.end(JSON.stringify({ ...setOf(first), note: "x".repeat(70_000) })),
  "an endless body": (_, response) => {
    const timer = setInterval(() => response.write("x".repeat(4_096)), 1);
    response.once("close", () => clearInterval(timer));
  },
};
test.each(Object.entries(faults))(
  "%s instead of keys is an outage, until there are keys",
  async (_, answer) => {
    const jwks = await jwksEndpoint(first);
    const healthy = jwks.answer;
    jwks.answer = answer;
    const { ask } = await gateway(jwks.url);
    expect(await ask(await sign(first))).toBe(503);
    jwks.answer = healthy;
    expect(await ask(await sign(first)), "is not asked again at once").toBe(503);
    ahead += 5_000;
    expect(await ask(await sign(first))).toBe(200);
  },
);

test("an endpoint that does not answer is an outage after five seconds", { timeout: 30_000 }, async () => {
  const jwks = await jwksEndpoint(first);
  jwks.answer = () => {};
  const { ask } = await gateway(jwks.url);
  const token = await sign(first);
  const began = Date.now();
  expect(await Promise.all([ask(token), ask(token)])).toEqual([503, 503]);
  expect(Date.now() - began).toBeLessThan(15_000);
  expect(jwks.reads).toBe(1);
});

test("a file is read again; a token whose key is gone is refused, also from the cache", async () => {
  const folder = mkdtempSync(join(tmpdir(), "jwks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "keys.json");
  const write = (...pairs: KeyPair[]): void => {
    writeFileSync(`${file}.new`, JSON.stringify(setOf(...pairs)));
    renameSync(`${file}.new`, file);
  };
  write(first);
  const { ask, server } = await gateway(file);
  const [old, fresh] = await Promise.all([sign(first), sign(second)]);
  expect([await ask(old), await ask(old), await ask(fresh)]).toEqual([200, 200, 401]);
  write(second);
  ahead += 1_000;
  await ask(fresh); // begins the read
  await expect.poll(() => server.tokens?.keys.version).toBe(2);
  expect([await ask(old), await ask(fresh)]).toEqual([401, 200]);
  writeFileSync(file, "half");
  ahead += 1_000;
  expect([await ask(fresh), await ask(fresh)]).toEqual([200, 200]);
});

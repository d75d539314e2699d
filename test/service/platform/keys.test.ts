/** The life of a key by command line and HTTP: created, used, listed, expired, revoked. The file has digests only. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { revocationStream } from "../../../src/engine/gateway/revocation-log.ts";
import { isWellFormed } from "../../../src/engine/runtime/http/api-key.ts";
import { run } from "../../../src/platform/keys/keys-cli.ts";
import { redisServer, startRedis } from "../../engine/gateway/redis.ts";
import { freePort } from "../../support/free-port.ts";
import { config, get, keys, openPlatform } from "./fixture.ts";

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keys-"));
  env = { DATA_FILE: join(folder, "platform.sqlite") };
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

async function cli(command: string, given = env): Promise<{ code: number; out: string[]; error: string[] }> {
  const [out, error]: [string[], string[]] = [[], []];
  const io = {
    root: ".",
    env: given,
    out: (line: string) => out.push(line),
    error: (line: string) => error.push(line),
  };
  const code = await run(command.split(" "), io);
  return { code, out, error };
}

const owner = "create --tenant ten_new --user usr_new --email new@new.example";
const created = (out: string[]): string[] => (out[0] ?? "").split(/\s+/);

it("only the user of the process may read and write its files", async () => {
  const platform = await openPlatform(env);
  const rights = Object.fromEntries(
    readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );
  expect(rights).toEqual({
    "platform.sqlite": "600",
    "platform.sqlite-shm": "600",
    "platform.sqlite-wal": "600",
  });
  await platform.close();
});

it("makes the first owner in production; the owner's key works at once, until it is revoked", async () => {
  const live = { ...env, NODE_ENV: "production", API_ENVIRONMENT: "live" };
  const made = await cli(owner, live);
  const [id, secret = ""] = created(made.out);
  expect(isWellFormed("live", secret)).toBe(true);
  expect(made.error.join()).not.toMatch(/test key/);
  const platform = await openPlatform(live);
  const me = await get(platform, "/v1/identity/me", secret);
  expect(me.json()).toMatchObject({
    id: "usr_new",
    tenantId: "ten_new",
    roles: ["owner"],
    email: "new@new.example",
  });
  expect(me.json().permissions).toContain("crm:contacts:read");
  expect((await cli(`revoke --tenant ten_new --key ${id}`, live)).code).toBe(0);
  expect((await get(platform, "/v1/identity/me", secret)).statusCode).toBe(401);
  expect((await cli(`revoke --tenant ten_new --key ${id}`, live)).code).toBe(1);
  await platform.close();
});

it("limits a key to its scopes", async () => {
  const made = await cli(`${owner} --scopes crm:*:read`);
  expect(made.error.join()).toMatch(/test key: a gateway or platform with API_ENVIRONMENT=live refuses it/);
  const [, secret] = created(made.out);
  const platform = await openPlatform(env);
  expect((await get(platform, "/v1/identity/me", secret)).json().permissions).toEqual(["crm:contacts:read"]);
  expect((await get(platform, "/v1/ai/agents", secret)).statusCode).toBe(403);
  await platform.close();
});

it("refuses a key after its expiry", async () => {
  const [, secret] = created((await cli(`${owner} --expires 2d`)).out);
  const platform = await openPlatform(env);
  expect((await get(platform, "/v1/identity/me", secret)).statusCode).toBe(200);
  vi.useFakeTimers({ now: Date.now() + 2 * 86_400_000 + 1_000, toFake: ["Date"] });
  expect((await get(platform, "/v1/identity/me", secret)).statusCode).toBe(401);
  await platform.close();
});

it("lists the keys of one tenant without secrets, and stores no secret", async () => {
  const [id, secret = ""] = created((await cli(`${owner} --expires 2099-01-31`)).out);
  await cli(owner.replaceAll("new", "other"));
  const { out } = await cli("list --tenant ten_new");
  expect(out).toHaveLength(1);
  expect(out[0]).toMatch(new RegExp(`^${id}  usr_new  \\*  created .*  expires 2099-01-31T23:59:59.999Z$`));
  expect(out[0]).not.toContain(secret);
  const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
  expect(stored.join("")).toContain(id);
  expect(stored.join("")).not.toContain(secret.slice(8));
});

it("a refused command stores nothing", async () => {
  await cli("create --tenant ten_new --user usr_new --email not-an-email");
  expect((await cli("create --tenant ten_new --user usr_new")).error).toEqual([
    "no user usr_new in tenant ten_new; --email ADDRESS makes one",
  ]);
});

it.each([
  ["9999-12-31", "9999-12-31T23:59:59.999Z"],
  ["2099-01-31T10:00:00+02:00", "2099-01-31T08:00:00.000Z"],
])("accepts %s as expiry", async (given, expires) => {
  const [, secret] = created((await cli(`${owner} --expires ${given}`)).out);
  expect((await cli("list --tenant ten_new")).out[0]).toContain(`expires ${expires}`);
  const platform = await openPlatform(env);
  expect((await get(platform, "/v1/identity/me", secret)).statusCode).toBe(200);
  await platform.close();
});

it("revokes no key of another tenant", async () => {
  const [id] = created((await cli(owner)).out);
  await cli(owner.replaceAll("new", "other"));
  expect(await cli(`revoke --tenant ten_other --key ${id}`)).toMatchObject({ code: 1, out: [] });
});

describe("revoke says how long gateways accept the key, as they are set", () => {
  const revoked = async (given: NodeJS.ProcessEnv = {}): Promise<string> => {
    const [id] = created((await cli(owner)).out);
    const { code, out, error } = await cli(`revoke --tenant ten_new --key ${id}`, { ...env, ...given });
    expect([code, out]).toEqual([0, [`revoked ${id}`]]);
    return error.join("\n");
  };

  it.each<[NodeJS.ProcessEnv, string]>([
    [{}, "refuse it within 25 s."],
    [{ KEY_CACHE_MS: "600000" }, "refuse it within 600 s."],
    [{ KEY_STALE_MS: "60000" }, "refuse it within 25 s, or within 85 s if key introspection fails."],
  ])("without REDIS_URL: %j", async (given, said) => {
    expect(await revoked(given)).toBe(`Gateways with this environment's settings ${said}`);
  });

  it("with a Redis that is down: not published yet, until the platform can", async () => {
    const port = await freePort();
    const REDIS_URL = `redis://127.0.0.1:${port}`;
    const said = await revoked({ REDIS_URL, KEY_CACHE_MS: "600000" });
    expect(said).toMatch(/^REDIS_URL: the revocation is not published yet \(ECONNREFUSED\)/);
    expect(said).toContain("gateways refuse it within 600 s, or within 900 s if key introspection fails");
    if (!redisServer) return;
    const platform = await openPlatform({ ...env, REDIS_URL });
    const { client } = await startRedis(port);
    await expect.poll(() => client.xlen(revocationStream), { timeout: 30_000 }).toBe(1);
    await platform.close();
  });

  it.skipIf(!redisServer).each<[NodeJS.ProcessEnv, string]>([
    [{}, "30 s"],
    [{ KEY_CACHE_MS: "600000", KEY_UNCONFIRMED_MS: "90000" }, "90 s"],
    [{ KEY_CACHE_MS: "10000", KEY_STALE_MS: "5000" }, "15 s"],
  ])("published: %j", async (given, cutOff) => {
    const { client, port } = await startRedis();
    const said = await revoked({ REDIS_URL: `redis://127.0.0.1:${port}`, ...given });
    expect(said).toBe(`Gateways refuse it now; one that cannot read Redis does within ${cutOff}.`);
    expect(await client.xlen(revocationStream)).toBe(1);
  });

  it.skipIf(!redisServer)("publishes what an earlier command could not", async () => {
    const port = await freePort();
    await revoked({ REDIS_URL: `redis://127.0.0.1:${port}` });
    const { client } = await startRedis(port);
    await revoked({ REDIS_URL: `redis://127.0.0.1:${port}` });
    expect(await client.xlen(revocationStream)).toBe(2);
  });
});

it.each([
  ["frobnicate", 2, "create, list, revoke"],
  ["create --nope", 2, "--nope"],
  ["create --tenent ten_x --user usr_x", 2, `unknown option '--tenent'; did you mean "--tenant"?`],
  ["create --tenant ten_x", 2, "--user"],
  ["list", 2, "--tenant"],
  ["create --tenant ten_x --user usr_x", 1, "no user usr_x"],
  [`${owner} --scopes everything`, 1, "--scopes"],
  [`${owner} --expires 2001-01-01`, 1, "--expires"],
  [`${owner} --expires soon`, 1, "--expires"],
  ["create --tenant ten_x --user usr_x --email not-an-email", 1, '--email: must match format "email"'],
  ["create --tenant ten_x --user u/../c --email new@new.example", 1, "--user: must match pattern"],
  ["create --tenant ten/x --user usr_x --email new@new.example", 1, "--tenant: must match pattern"],
  [`${owner} --expires 45`, 1, "--expires"],
  [`${owner} --expires 2099-02-30`, 1, "--expires"],
  [`${owner} --expires 2099-02-30T00:00:00Z`, 1, "--expires"],
  [`${owner} --expires 2099-01-31T00:00:00`, 1, "--expires"],
  [`${owner} --expires +275760-01-01`, 1, "--expires"],
  [`${owner} --expires +275760-01-01T00:00:00Z`, 1, "--expires"],
  [`${owner} --expires 9999-12-31T23:59:59-05:00`, 1, "--expires"],
  [`${owner} --scopes *:*:fly`, 1, '"*:*:fly" matches no permission'],
  [`${owner} --scopes crm:contacts:reed`, 1, 'Did you mean "crm:contacts:read"?'],
])("refuses %s", async (command, code, named) => {
  const result = await cli(command);
  expect(result).toMatchObject({ code, out: [] });
  expect(result.error.join("\n")).toContain(named);
});

it.each([{}, { DATA_FILE: "no/such/file" }, { DATA_FILE: "x", API_ENVIRONMENT: "both" }])(
  "%j is a configuration error",
  async (given) => {
    const { code, error } = await cli(owner, given);
    expect({ code, error: error.length }).toEqual({ code: 2, error: 1 });
    expect(error[0]).toMatch(/^(?:DATA_FILE|API_ENVIRONMENT):/);
  },
);

it("prints its help, and suggests the nearest command or option", async () => {
  const help = await cli("--help");
  expect(help).toMatchObject({ code: 0, error: [] });
  expect(help.out.join("\n")).toMatch(/^Usage: npm run keys -- [\s\S]*create[\s\S]*list[\s\S]*revoke/);
  expect((await cli("create --help")).out.join("\n")).toContain("--email <address>");
  expect((await cli("revok --tenant ten_x")).error[0]).toContain("did you mean revoke?");
  expect(await cli("")).toMatchObject({ code: 2, out: [] });
});

it("has no demo data in production, and refuses a demo key even if the file has it", async () => {
  const demo = await openPlatform(env);
  expect((await get(demo, "/v1/identity/me")).statusCode).toBe(200);
  await demo.close();
  expect(config({ NODE_ENV: "production" }).production).toBe(true);
  for (const file of [env, {}]) {
    const platform = await openPlatform({ ...file, NODE_ENV: "production" });
    expect((await get(platform, "/v1/identity/me", keys.harborOwner)).statusCode).toBe(401);
    await platform.close();
  }
});

/** A key has the permissions of its user's roles within its scopes. Each operation requires its documented permission. */
import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextHeaderNames, writeContextHeaders } from "../../../src/engine/runtime/http/context-headers.ts";
import { proofHeader } from "../../../src/engine/runtime/http/gateway-proof.ts";
import { loadContract, permissionsOf } from "../../../src/platform/contract.ts";
import { covers, effectivePermissions } from "../../../src/platform/keys/permissions.ts";
import { get, keys, openPlatform } from "./fixture.ts";

const operations = await loadContract();
const every = permissionsOf(operations);
const secret = randomBytes(24).toString("hex");

let platform: FastifyInstance;
beforeAll(async () => {
  platform = await openPlatform({ GATEWAY_SECRET: secret });
});
afterAll(() => platform.close());

const caller = (permissions: readonly string[], tenantId = "ten_harbor") => ({
  ...writeContextHeaders("X-Service-", {
    tenantId,
    userId: tenantId === "ten_harbor" ? "usr_harbor_olivia" : "usr_lumen_amara",
    apiKeyId: "key_1",
    roles: ["owner"],
    permissions,
    features: [],
    keyScopes: ["*"],
    teams: [],
  }),
  [proofHeader]: secret,
});

describe.each(operations.filter(({ permission }) => permission !== undefined))("$id", (operation) => {
  const url = operation.route.replace(/:\w+/, "nobody_here");
  const request = (permissions: readonly string[]) =>
    platform.inject({ method: operation.method as "GET", url, headers: caller(permissions) });

  it("is forbidden without its permission, even with all others", async () => {
    const response = await request(every.filter((permission) => permission !== operation.permission));
    expect(response.json()).toMatchObject({ status: 403, code: "FORBIDDEN" });
    expect(response.json().detail).toContain(operation.permission);
  });

  it("is allowed with its permission only", async () => {
    const { statusCode } = await request([operation.permission ?? ""]);
    expect([200, 400, 404]).toContain(statusCode); // 400 and 404: the request was allowed and failed later
  });
});

it("the limited demo key reads the inbox and not the contacts", async () => {
  expect((await get(platform, "/v1/inbox/conversations", keys.harborAnalyst)).statusCode).toBe(200);
  expect((await get(platform, "/v1/crm/contacts", keys.harborAnalyst)).statusCode).toBe(403);
  expect((await get(platform, "/v1/engage/campaigns", keys.harborAnalyst)).statusCode).toBe(403);
});

it("answers the profile with the caller's role, permissions and features", async () => {
  expect((await get(platform, "/v1/identity/me")).json()).toEqual({
    id: "usr_harbor_olivia",
    email: "olivia@harbor.example",
    tenantId: "ten_harbor",
    roles: ["owner"],
    permissions: every,
    features: ["whatsapp", "flows", "billing"],
  });
  expect(every).toContain("engage:campaigns:read");
});

it("accepts context headers with the right proof only", async () => {
  const headers = caller(every, "ten_lumen");
  const me = (given: Record<string, string>) => platform.inject({ url: "/v1/identity/me", headers: given });
  expect((await me(headers)).json().tenantId).toBe("ten_lumen");
  expect((await me({ ...headers, [proofHeader]: `${secret.slice(0, -1)}x` })).statusCode).toBe(401);
  const spoofed = { ...headers, [proofHeader]: "", "x-api-key": keys.harborOwner };
  expect((await me(spoofed)).json().tenantId).toBe("ten_harbor");
});

it("ignores all context headers without a secret", async () => {
  const alone = await openPlatform();
  const response = await alone.inject({ url: "/v1/identity/me", headers: caller(every) });
  expect(response.statusCode).toBe(401);
  await alone.close();
});

it.each([
  [
    "two different credentials",
    { "x-api-key": keys.harborOwner, authorization: `Bearer ${keys.lumenOwner}` },
    400,
  ],
  [
    "two equal credentials",
    { "x-api-key": keys.harborOwner, authorization: `Bearer ${keys.harborOwner}` },
    200,
  ],
  ["the bearer form", { authorization: `bearer ${keys.harborOwner}` }, 200],
  ["another scheme", { authorization: `Basic ${keys.harborOwner}` }, 401],
  ["another scheme beside a key", { authorization: "Basic x", "x-api-key": keys.harborOwner }, 400],
  ["two keys in one header", { "x-api-key": [keys.harborOwner, keys.lumenOwner] }, 400],
])("answers %s", async (_name, headers, status) => {
  const response = await platform.inject({ url: "/v1/identity/me", headers });
  expect(response.statusCode).toBe(status);
  expect(contextHeaderNames("X-Service-").some((name) => name in response.headers)).toBe(false);
});

it("a permission is effective if it is declared, granted by a role and covered by a scope; * matches any part", () => {
  const declared = ["crm:contacts:read", "crm:contacts:write", "inbox:messages:read"];
  expect(effectivePermissions(declared, ["*"], ["*"])).toEqual(declared);
  expect(effectivePermissions(declared, ["*"], ["*:*:read"])).toEqual([
    "crm:contacts:read",
    "inbox:messages:read",
  ]);
  expect(effectivePermissions(declared, ["crm:*:*"], ["*:*:read"])).toEqual(["crm:contacts:read"]);
  expect(effectivePermissions(declared, ["crm:contacts:read", "old:gone:read"], ["*"])).toEqual([
    "crm:contacts:read",
  ]);
  expect(effectivePermissions(declared, ["*"], [])).toEqual([]);
  expect(effectivePermissions(declared, [], ["*"])).toEqual([]);
  expect(effectivePermissions(declared, ["crm:contacts"], ["crm:contacts:read:all", ""])).toEqual([]);
  const covering = (scopes: string[]): string[] => scopes.filter((scope) => covers(scope, "a:b:c"));
  expect(covering(["*", "a:b:c", "a:*:c"])).toEqual(["*", "a:b:c", "a:*:c"]);
  expect(covering(["", "a", "a:b", "a:b:c:d", "a:b:", "A:b:c", "a*:b:c", "*:*"])).toEqual([]);
});

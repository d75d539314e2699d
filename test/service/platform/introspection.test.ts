/** Key introspection (RFC 7662) serves the gateway only. Of a key that is not good it answers `active: false` only. */
import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { proofHeader } from "../../../src/engine/runtime/http/gateway-proof.ts";
import { keys, openPlatform } from "./fixture.ts";

const secret = randomBytes(24).toString("hex");

let platform: FastifyInstance;
beforeAll(async () => {
  platform = await openPlatform({ GATEWAY_SECRET: secret });
});
afterAll(() => platform.close());

const introspect = (payload: string, proof: string | undefined = secret, server = platform) =>
  server.inject({
    method: "POST",
    url: "/internal/keys/introspect",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(proof ? { [proofHeader]: proof } : {}),
    },
    payload,
  });

it("answers the values of all context headers", async () => {
  const response = await introspect(`token=${keys.harborAnalyst}`);
  expect(response.headers["cache-control"]).toContain("no-store");
  expect(response.json()).toEqual({
    active: true,
    tenant_id: "ten_harbor",
    user_id: "usr_harbor_noah",
    api_key_id: expect.stringMatching(/^key_/),
    roles: ["analyst"],
    permissions: [
      "ai:agents:read",
      "inbox:conversations:read",
      "inbox:messages:read",
      "insights:metrics:read",
    ],
    features: ["whatsapp", "flows", "billing"],
    key_scopes: ["*"],
    teams: ["insights"],
  });
});

it.each([
  ["nonsense", "x"],
  ["a key with a wrong checksum", `${keys.harborOwner.slice(0, -1)}~`],
  ["a key of another environment", keys.harborOwner.replace("sk_test_", "sk_live_")],
])("answers only that %s is not active", async (_name, token) => {
  expect((await introspect(new URLSearchParams({ token }).toString())).json()).toEqual({ active: false });
});

it("requires exactly one token", async () => {
  for (const payload of ["", "token=", `token=a&token=b`]) {
    expect((await introspect(payload)).json()).toMatchObject({ status: 400, argument: "token" });
  }
});

it("answers 404 without the gateway's proof, and on a platform without a secret", async () => {
  const payload = `token=${keys.harborOwner}`;
  for (const proof of ["", `${secret}x`]) expect((await introspect(payload, proof)).statusCode).toBe(404);
  const open = await openPlatform();
  expect((await introspect(payload, secret, open)).statusCode).toBe(404);
  await open.close();
});

/** Keys and access tokens of a stock OAuth server, `oidc-provider`: opaque tokens, Basic, its own names and its own revocation; signed tokens. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { subscribe } from "../../../src/engine/runtime/observe/observer.ts";
import { startGateway } from "./start.ts";

const secret = "a secret: with signs, of 32 letters";

/** The server, with a client that gets tokens and one that may ask about them. */
async function authorizationServer(options: (url: string) => object = () => ({})) {
  vi.spyOn(console, "info").mockImplementation(() => {}); // it says that its keys and its store are for development
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { default: Provider } = await import("oidc-provider" as string); // which has no types
  const client = {
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
    client_secret: secret,
  };
  const provider = new Provider(url, {
    clients: [
      { ...client, client_id: "acme" },
      { ...client, client_id: "gateway" },
    ],
    features: {
      ...{ clientCredentials: { enabled: true }, introspection: { enabled: true } },
      ...{ revocation: { enabled: true }, devInteractions: { enabled: false } },
    },
    scopes: ["contacts:read", "contacts:write"],
    ...options(url),
  });
  server.on("request", provider.callback());
  const basic = (id: string): string =>
    `Basic ${Buffer.from([id, secret].map(encodeURIComponent).join(":")).toString("base64")}`;
  const post = (path: string, body: Record<string, string>): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization: basic("acme") },
      body: new URLSearchParams(body),
    });
  return {
    url,
    introspection: new URL("/token/introspection", url),
    issue: async (resource: { resource?: string } = {}): Promise<string> => {
      const answer = await post("/token", {
        grant_type: "client_credentials",
        scope: "contacts:read contacts:write",
        ...resource,
      });
      return ((await answer.json()) as { access_token: string }).access_token;
    },
    revoke: (token: string) => post("/token/revocation", { token }),
  };
}

test("its opaque tokens are keys, by a table of names; a revoked one is refused", async () => {
  const { introspection, issue, revoke } = await authorizationServer();
  const { url, rest } = await startGateway({
    keyIntrospection: introspection,
    env: {
      KEY_INTROSPECTION_CREDENTIALS: `gateway:${secret}`,
      KEY_INTROSPECTION_NAMES:
        "tenant_id=client_id,user_id=client_id,api_key_id=client_id,key_scopes=scope,roles=,permissions=,features=,teams=",
      ...{ KEY_PATTERN: ".+", KEY_CACHE_MS: "1" },
    },
  });
  const ask = async (token: string): Promise<number> =>
    (await fetch(new URL("/v1/things", url), { headers: { authorization: `Bearer ${token}` } })).status;
  const token = await issue();
  expect(await ask(token)).toBe(200);
  expect(rest.seen.at(-1)?.headers).toMatchObject({
    "x-service-tenant-id": "acme",
    "x-service-key-scopes": expect.stringMatching(/contacts:read.*contacts:write/),
  });
  expect(await ask("a-token-of-nobody")).toBe(401);
  expect((await revoke(token)).status).toBe(200);
  expect(await ask(token)).toBe(401);
});

test("a gateway that it does not know logs that, and refuses everyone", async () => {
  const { introspection, issue } = await authorizationServer();
  const { url } = await startGateway({
    keyIntrospection: introspection,
    env: { KEY_INTROSPECTION_CREDENTIALS: "gateway:wrong", KEY_PATTERN: ".+" },
  });
  const causes: unknown[] = [];
  onTestFinished(subscribe({ requestEnded: ({ cause }) => void causes.push(cause) }));
  const headers = { authorization: `Bearer ${await issue()}` };
  expect((await fetch(new URL("/v1/things", url), { headers })).status).toBe(503);
  await expect.poll(() => causes).toEqual(["answered 401"]);
});

test("its signed access tokens (RFC 9068) are verified by its keys, without a lookup", async () => {
  const resource = "https://api.example/v1";
  const { url: issuer, issue } = await authorizationServer(() => ({
    features: {
      ...{ clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          ...{ scope: "contacts:read contacts:write", audience: resource },
          ...{ accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } },
        }),
      },
    },
  }));
  const { url, rest, keys } = await startGateway({
    env: {
      ...{ TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: resource, TOKEN_JWKS: `${issuer}/jwks` },
      TOKEN_NAMES: "tenant_id=client_id,roles=,permissions=scope,features=,teams=",
    },
  });
  const headers = { authorization: `Bearer ${await issue({ resource })}` };
  expect((await fetch(new URL("/v1/things", url), { headers })).status).toBe(200);
  expect(rest.seen.at(-1)?.headers).toMatchObject({
    "x-service-tenant-id": "acme",
    "x-service-permissions": "contacts:read,contacts:write",
  });
  expect(keys.asked).toEqual([]);
});

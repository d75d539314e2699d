/** Access tokens that the gateway verifies by the issuer's public keys: which count, which are refused, and which are looked up. */
import { createHmac } from "node:crypto";
import { exportSPKI, importJWK, type JWTHeaderParameters, type JWTPayload } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { contextOf, goodKey } from "./fakes.ts";
import {
  audience,
  claims,
  issuer,
  jwksEndpoint,
  type KeyPair,
  keyPair,
  now,
  sign,
  tokenEnv,
} from "./issuer.ts";
import { startGateway } from "./start.ts";

let rsa: KeyPair;
let other: KeyPair;
beforeAll(async () => {
  [rsa, other] = await Promise.all([keyPair("rsa-1"), keyPair("rsa-1")]);
});

async function gateway(...pairs: KeyPair[]) {
  const jwks = await jwksEndpoint(...(pairs.length > 0 ? pairs : [rsa]));
  const started = await startGateway({ env: { KEY_PATTERN: ".+", ...tokenEnv(jwks.url) } });
  const ask = (token: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(new URL("/v1/things", started.url), { headers: { authorization: `Bearer ${token}`, ...headers } });
  return { ...started, jwks, ask };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

test("a valid token is accepted without a lookup, with the tenant and the permissions of its claims", async () => {
  const { ask, keys, rest, jwks, gateway: server } = await gateway();
  const token = await sign(rsa);
  for (let time = 0; time < 3; time++) expect((await ask(token)).status).toBe(200);
  expect(rest.seen.at(-1)?.headers).toMatchObject({
    "x-service-tenant-id": "tenant-1",
    "x-service-user-id": "user-1",
    "x-service-api-key-id": "client-1",
    "x-service-permissions": "contacts:read,contacts:write",
    "x-service-key-scopes": "contacts:read,contacts:write",
    "x-service-roles": "",
  });
  expect(keys.asked).toEqual([]);
  expect(jwks.reads).toBe(1);
  expect(server.tokens?.counts).toEqual({ accepted: 3, refused: 0, unconfirmed: 0, failed: 0 });
});

test.each(["RS512", "PS256", "ES256", "ES384", "EdDSA"])("%s is verified", async (alg) => {
  const pair = await keyPair("key", alg);
  const { ask } = await gateway(rsa, pair);
  expect((await ask(await sign(pair))).status).toBe(200);
});

test("the audience may be one of several, and the type may be a media type", async () => {
  const { ask } = await gateway();
  const token = await sign(rsa, { aud: ["https://b.example", audience] }, { typ: "application/AT+JWT" });
  expect((await ask(token)).status).toBe(200);
});

const without = (name: string): JWTPayload => ({ [name]: undefined });
/** Changes of a valid token, signed by the issuer. */
const refused: Record<string, [JWTPayload, Partial<JWTHeaderParameters>?]> = {
  "another audience": [{ aud: "https://other.example" }],
  "no audience": [without("aud")],
  "an audience that begins alike": [{ aud: `${audience}/more` }],
  "another type": [{}, { typ: "JWT" }],
  "an ID token's type": [{}, { typ: "id_token+jwt" }],
  "no type": [{}, { typ: undefined } as never],
  expired: [{ exp: now() - 11 }],
  "no expiry": [without("exp")],
  "not yet valid": [{ nbf: now() + 60 }],
  "issued in the future": [{ iat: now() + 60 }],
  "no time of issue": [without("iat")],
  "no id": [without("jti")],
  "an empty id": [{ jti: "" }],
  "no subject": [without("sub")],
  "no client": [without("client_id")],
  "no tenant": [without("tenant_id")],
  "an empty tenant": [{ tenant_id: "" }],
  "a list of tenants": [{ tenant_id: ["tenant-1", "tenant-2"] }],
  "no scope": [without("scope")],
  "more than 8 KiB": [{ note: "x".repeat(9_000) }],
  "an unknown key": [{}, { kid: "rsa-2" }],
  "a path as key": [{}, { kid: "../../../../dev/null" }],
  "a statement as key": [{}, { kid: "x' UNION SELECT 'secret" }],
  "a property as key": [{}, { kid: "__proto__" }],
  "an unknown critical header": [{}, { crit: ["exp"], exp: 1 } as never],
};

describe("the issuer's signature alone does not suffice", () => {
  test.each(Object.entries(refused))("%s", async (_, [payload, header]) => {
    const { ask, keys, rest, gateway: server } = await gateway();
    const pair = header?.crit ? undefined : rsa;
    const token = pair
      ? await sign(pair, payload, header)
      : `${encode({ alg: "RS256", kid: "rsa-1", typ: "at+jwt", ...header })}.${encode(claims())}.c2ln`;
    const response = await ask(token);
    expect(response.status).toBe(401);
    expect(await response.text()).toContain("the access token is not valid");
    expect(keys.asked).toEqual([]);
    expect(rest.seen).toEqual([]);
    expect(server.tokens?.counts.refused).toBe(1);
  });
});

describe("a forged token is refused, not looked up", () => {
  const hmac = (secret: string, header: object): string => {
    const body = `${encode({ kid: "rsa-1", typ: "at+jwt", ...header })}.${encode(claims())}`;
    return `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
  };
  const forged: Record<string, () => Promise<string>> = {
    "alg none": async () => `${encode({ alg: "none", typ: "at+jwt" })}.${encode(claims())}.`,
    "alg None with the known key": async () =>
      `${encode({ alg: "None", typ: "at+jwt", kid: "rsa-1" })}.${encode(claims())}.`,
    "no alg": async () => `${encode({ typ: "at+jwt", kid: "rsa-1" })}.${encode(claims())}.c2ln`,
    "HS256 with the public key in PEM": async () =>
      hmac(await exportSPKI((await importJWK(rsa.jwk)) as never), { alg: "HS256" }),
    "HS256 with the public key in JSON": async () => hmac(JSON.stringify(rsa.jwk), { alg: "HS256" }),
    "HS256 with an empty secret": async () => hmac("", { alg: "HS256" }),
    "another private key": () => sign(other),
    "another private key, whose public key the token contains": () => sign(other, {}, { jwk: other.jwk }),
    "another private key, at a URL": () => sign(other, {}, { jku: "http://127.0.0.1:1/keys" }),
    "another private key, by a certificate's URL": () => sign(other, {}, { x5u: "http://127.0.0.1:1/c" }),
    "another algorithm of the same key": () =>
      sign({ ...rsa, alg: "RS256" }, {}, { alg: "RS256", kid: "ec" }),
    "other claims": async () => {
      const [header, , signature] = (await sign(rsa)).split(".");
      return `${header}.${encode(claims({ tenant_id: "tenant-2" }))}.${signature}`;
    },
    "no signature": async () => (await sign(rsa)).replace(/[^.]+$/, ""),
    "a payload that is not encoded (RFC 7797)": async () =>
      `${encode({ alg: "RS256", kid: "rsa-1", typ: "at+jwt", b64: false, crit: ["b64"] })}.${encode(claims())}.c2ln`,
  };
  test.each(Object.entries(forged))("%s", async (_, token) => {
    const { ask, keys, rest } = await gateway(rsa, { ...(await keyPair("ec", "ES256")) });
    expect((await ask(await token())).status).toBe(401);
    expect(keys.asked).toEqual([]);
    expect(rest.seen).toEqual([]);
  });
});

test("tokens of other issuers, JWTs or not, are keys that are looked up", async () => {
  const { ask, keys } = await gateway();
  const foreign = await sign(rsa, { iss: "https://other.example" });
  keys.answers.set("opaque", contextOf("opaque"));
  expect((await ask(foreign)).status).toBe(401);
  expect((await ask("opaque")).status).toBe(200);
  expect((await ask(goodKey)).status).toBe(200);
  expect(keys.asked).toEqual([foreign, "opaque", goodKey]);
});

test("the headers of another tenant have no effect beside a token", async () => {
  const { ask, rest } = await gateway();
  const names = ["x-service-tenant-id", "x_service_tenant_id", "X-Service-Permissions", "x-gateway-proof"];
  const spoofed = Object.fromEntries(names.map((name) => [name, "tenant-2"]));
  expect((await ask(await sign(rsa), spoofed)).status).toBe(200);
  expect(JSON.stringify(rest.seen)).not.toContain("tenant-2");
  expect(rest.seen[0]?.headers["x-service-tenant-id"]).toBe("tenant-1");
});

test("a cached token is refused when it expires", async () => {
  const { ask } = await gateway();
  const token = await sign(rsa, { exp: now() - 7 }); // a skew of 10 s is tolerated, which leaves 2 to 3 s
  expect((await ask(token)).status).toBe(200);
  await expect.poll(async () => (await ask(token)).status, { timeout: 10_000 }).toBe(401);
});

test("metadata names the issuer, and a 401 names the metadata (RFC 9728)", async () => {
  const { url, ask } = await gateway();
  const path = "/.well-known/oauth-protected-resource";
  for (const each of [path, `${path}/v1`]) {
    const response = await fetch(new URL(each, url));
    expect(response.headers.get("content-type")).toMatch("application/json");
    expect(await response.json()).toEqual({
      resource: audience,
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
    });
  }
  const refusal = await ask("unknown");
  expect(refusal.headers.get("www-authenticate")).toBe(
    `Bearer realm="api", resource_metadata="https://api.example${path}/v1", ApiKey realm="api"`,
  );
});

test("an audience that is no URL has no metadata", async () => {
  const { url } = await startGateway({ env: { ...tokenEnv("/nowhere"), TOKEN_AUDIENCE: "api" } });
  expect((await fetch(new URL("/.well-known/oauth-protected-resource", url))).status).toBe(404);
  const { headers } = await fetch(new URL("/v1/things", url));
  expect(headers.get("www-authenticate")).toBe('Bearer realm="api", ApiKey realm="api"');
});

/** An issuer of access tokens (RFC 9068): its keys, the tokens that it signs, and the endpoint of its public keys. */
import type { RequestListener } from "node:http";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from "jose";
import { onTestFinished } from "vitest";
import { listen } from "./fakes.ts";

export const issuer = "https://issuer.example";
export const audience = "https://api.example/v1";
export type KeyPair = { kid: string; alg: string; privateKey: CryptoKey; jwk: JWK };

export async function keyPair(kid: string, alg = "RS256"): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

export const now = (): number => Math.floor(Date.now() / 1_000);
let issued = 0;
export const claims = (given: JWTPayload = {}): JWTPayload => ({
  ...{ iss: issuer, aud: audience, sub: "user-1", client_id: "client-1", jti: `token-${++issued}` },
  ...{ iat: now(), exp: now() + 300, scope: "contacts:read contacts:write", tenant_id: "tenant-1" },
  ...given,
});

/** A token signed by `pair`; claims and header members of `undefined` are left out. */
export const sign = (
  pair: Pick<KeyPair, "kid" | "alg" | "privateKey">,
  given: JWTPayload = {},
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> =>
  new SignJWT(claims(given))
    .setProtectedHeader({ alg: pair.alg, kid: pair.kid, typ: "at+jwt", ...header })
    .sign(pair.privateKey);

/** The endpoint of the public keys. `answer` may be replaced. */
export async function jwksEndpoint(...pairs: KeyPair[]) {
  const endpoint = {
    reads: 0,
    answer: ((_request, response) => response.end(JSON.stringify(setOf(...pairs)))) as RequestListener,
  };
  const { url, close } = await listen((request, response) => {
    endpoint.reads++;
    endpoint.answer(request, response);
  });
  onTestFinished(close);
  return Object.assign(endpoint, { url: new URL("/keys?policy=1", url), close });
}

export const setOf = (...pairs: KeyPair[]) => ({ keys: pairs.map(({ jwk }) => jwk) });

/** The variables of a gateway that verifies the issuer's tokens. */
export const tokenEnv = (jwks: URL | string) => ({
  ...{ TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, TOKEN_JWKS: String(jwks) },
  TOKEN_NAMES: "roles=,permissions=scope,features=,teams=",
});

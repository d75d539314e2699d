/**
 * Verifies signed access tokens (RFC 9068) of the configured issuer by the issuer's public keys, without a lookup.
 * Verified tokens are cached by digest until they expire or the issuer's keys change, because one verification costs as much as
 * dozens of cache lookups.
 */
import { hash } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { type JWTPayload, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { CodedError, FailureReason } from "../runtime/coded-error.ts";
import type { TenantContext } from "../runtime/http/context-headers.ts";
import { unauthenticated } from "../runtime/http/credentials.ts";
import { cachedKeys } from "../runtime/settings/capacity.ts";
import type { Config } from "../runtime/settings/config.ts";
import { type TokenSettings, tokenClaimNames } from "../runtime/settings/token-settings.ts";
import { isRecord, parsedJson } from "../shared/json-object.ts";
import { own } from "../shared/own.ts";
import { readCallerContext } from "./caller-context.ts";
import { clockSkewMs, type IssuedToken, RevokedTokens } from "./revoked-tokens.ts";
import { SigningKeys } from "./signing-keys.ts";

/**
 * Only algorithms that sign with a private key. `none` is excluded. HMAC is excluded too, because an attacker could use a public
 * key as the secret (RFC 8725 §2.1).
 */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const mostCharacters = 8_192;

type VerifiedToken = IssuedToken & { readonly context: TenantContext; readonly expiresAt: number };

export class TokenVerifier {
  /** Number of tokens by outcome, since the process started. An `unconfirmed` token was looked up at key introspection. */
  readonly counts = { accepted: 0, refused: 0, unconfirmed: 0, failed: 0 };
  readonly keys: SigningKeys;
  /** Undefined without a revocation log. Tokens are then valid until they expire. */
  readonly revoked: RevokedTokens | undefined;
  readonly #settings: TokenSettings;
  readonly #names: ReadonlyMap<string, string>;
  readonly #verified: LRUCache<string, VerifiedToken>;
  #keyVersion = 0;

  constructor(settings: TokenSettings, { env }: Config, log: FastifyBaseLogger) {
    this.#settings = settings;
    this.#names = tokenClaimNames(env.TOKEN_NAMES);
    this.#verified = new LRUCache({ max: env.KEY_CACHE_SIZE ?? cachedKeys.active });
    this.keys = new SigningKeys(settings.jwks, env, log);
    this.revoked = env.REDIS_URL ? new RevokedTokens(env.KEY_UNCONFIRMED_MS) : undefined;
    this.keys.refreshIfDue();
  }

  /**
   * Returns the context of a valid token. Returns `undefined` if `key` must be looked up: it is not a token of the issuer, or
   * the process may have missed its revocation. Throws UNAUTHENTICATED if the issuer's token is invalid, expired or revoked,
   * and SERVICE_UNAVAILABLE if the issuer's keys are not available.
   */
  async verify(key: string): Promise<TenantContext | undefined> {
    this.keys.refreshIfDue();
    const digest = hash("sha256", key, "base64");
    const cached = this.#cached(digest);
    if (!cached && !this.#isOfIssuer(key)) return undefined;
    try {
      const token = cached ?? (await this.#check(key, digest));
      if (Date.now() >= token.expiresAt + clockSkewMs) throw refused("expired");
      if (this.revoked?.isRevoked(token)) throw refused("revoked");
      const isConfirmed = this.revoked?.isConfirmed(token) ?? true;
      this.counts[isConfirmed ? "accepted" : "unconfirmed"]++;
      return isConfirmed ? token.context : undefined;
    } catch (error) {
      const failure = error instanceof CodedError ? error : unauthenticated("refused_token", [], error);
      this.counts[failure.code === "UNAUTHENTICATED" ? "refused" : "failed"]++;
      throw failure;
    }
  }

  #cached(digest: string): VerifiedToken | undefined {
    if (this.#keyVersion === this.keys.version) return this.#verified.get(digest);
    this.#keyVersion = this.keys.version;
    this.#verified.clear(); // a key that signed a cached token may have been withdrawn
    return undefined;
  }

  /** Whether `key` is a compact JWS (RFC 7515 §7.1) that names the issuer. The signature is not verified yet. */
  #isOfIssuer(key: string): boolean {
    const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(key) ?? [];
    if (payload === undefined) return false;
    const claims = parsedJson(Buffer.from(payload, "base64url").toString());
    return isRecord(claims) && own(claims, "iss") === this.#settings.issuer;
  }

  /** Validates the token (RFC 9068 §4, RFC 8725 §3). Throws an error of `jose`, a `FailureReason`, or SERVICE_UNAVAILABLE. */
  async #check(key: string, digest: string): Promise<VerifiedToken> {
    if (key.length > mostCharacters) throw new FailureReason("is too long");
    const { version } = this.keys;
    const { payload } = await jwtVerify(key, (header, token) => this.keys.find(header, token), {
      algorithms,
      issuer: this.#settings.issuer,
      audience: this.#settings.audience,
      typ: "at+jwt",
      requiredClaims: ["exp", "iat", "sub", "client_id", "jti"],
      clockTolerance: clockSkewMs / 1_000,
    });
    const token = this.#read(payload);
    if (version === this.keys.version) this.#verified.set(digest, token);
    return token;
  }

  #read(claims: JWTPayload): VerifiedToken {
    const { jti, iat, exp } = claims;
    if (typeof jti !== "string" || jti === "") throw new FailureReason("has no jti");
    const issuedAt = Number(iat) * 1_000;
    if (!(issuedAt <= Date.now() + clockSkewMs)) throw new FailureReason("has an iat in the future");
    const context = readCallerContext(claims, this.#names, "has");
    return { context, tokenId: jti, apiKeyId: context.apiKeyId, issuedAt, expiresAt: Number(exp) * 1_000 };
  }
}

const refused = (reason: string): CodedError =>
  unauthenticated("refused_token", [], new FailureReason(reason));

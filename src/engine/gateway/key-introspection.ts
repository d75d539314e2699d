/**
 * Phase 1: the client of the key introspection service (RFC 7662), which returns whether an API key is active and who owns it.
 * Every failure is SERVICE_UNAVAILABLE, because the gateway fails closed. `key-verifier.ts` caches the responses.
 */
import { CodedError, FailureReason } from "../runtime/coded-error.ts";
import type { TenantContext } from "../runtime/http/context-headers.ts";
import { proofHeader } from "../runtime/http/gateway-proof.ts";
import { spreadPool } from "../runtime/rest/upstream/spread-pool.ts";
import { upstreamConnector } from "../runtime/rest/upstream/upstream-connector.ts";
import type { Config } from "../runtime/settings/config.ts";
import { introspectionNames } from "../runtime/settings/validators.ts";
import { isRecord, parsedJson } from "../shared/json-object.ts";
import { readCallerContext } from "./caller-context.ts";

/** An active key, which expires after `validMs` milliseconds. */
export type ActiveKey = { context: TenantContext; validMs: number };
export type KeyState = ActiveKey | "inactive";
export type IntrospectKey = (key: string, signal: AbortSignal) => Promise<KeyState>;

const maxResponseBytes = 65_536;

/** The `signal` for `lookUp` aborts one lookup, and `close` aborts all. `LookupQueue` limits the number of concurrent lookups. */
export function createKeyIntrospection(
  config: Config,
  service: URL,
): { lookUp: IntrospectKey; close: () => Promise<void> } {
  const pool = spreadPool(service.origin, {
    connect: upstreamConnector(config.env),
    maxResponseSize: maxResponseBytes,
  });
  const names = introspectionNames(config.env.KEY_INTROSPECTION_NAMES);
  const { AUTHORIZATION_SERVERS, TOKEN_AUDIENCE } = config.env;
  const audience = AUTHORIZATION_SERVERS.length > 0 ? TOKEN_AUDIENCE : undefined;
  const lookUp: IntrospectKey = async (key, signal) => {
    const body = new URLSearchParams({ token: key }).toString();
    const headers = requestHeaders(config.env);
    try {
      const response = await pool.request({ path: service.pathname, method: "POST", headers, body, signal });
      if (response.statusCode === 200)
        return readIntrospectionResponse(await response.body.text(), names, audience);
      await response.body.dump();
      throw new FailureReason(`answered ${response.statusCode}`);
    } catch (cause) {
      throw new CodedError(
        "SERVICE_UNAVAILABLE",
        "the API key cannot be verified at the moment",
        { retryAfter: 1 },
        { cause },
      );
    }
  };
  return { lookUp, close: () => pool.destroy() };
}

/** Advice for a 401, 403 or 404. Some services send a 404 to a client that is not authenticated. */
const proofHint =
  "is the path right, and does the service accept this GATEWAY_SECRET or these KEY_INTROSPECTION_CREDENTIALS?";

/**
 * Introspects a token that does not exist. The response must be `active: false`, whatever the token's format (RFC 7662 §2.2).
 * Resolves with a description of the problem, or with `undefined` if there is none. Throws if the service did not respond.
 */
export async function probeKeyIntrospection(config: Config, service: URL): Promise<string | undefined> {
  const { lookUp, close } = createKeyIntrospection(config, service);
  try {
    await lookUp("readiness", AbortSignal.timeout(config.env.KEY_INTROSPECTION_TIMEOUT_MS));
    return undefined;
  } catch (error) {
    const { cause } = error as CodedError;
    if (!(cause instanceof FailureReason)) throw error;
    const isRefusal = /^answered 40[134]$/.test(cause.code);
    return `POST ${service.pathname} ${cause.code}; ${isRefusal ? proofHint : "is the path right?"}`;
  } finally {
    void close();
  }
}

/** Sends both credentials that a service may require: the gateway's secret, and OAuth client credentials (RFC 7662 §2.1). */
function requestHeaders({ GATEWAY_SECRET, KEY_INTROSPECTION_CREDENTIALS: credentials }: Config["env"]) {
  return {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
    "accept-encoding": "identity", // without the header, any coding is acceptable (RFC 9110 §12.5.3)
    ...(GATEWAY_SECRET !== undefined && { [proofHeader]: GATEWAY_SECRET }),
    ...(credentials !== undefined && { authorization: authorizationOf(credentials) }),
  };
}

/**
 * Returns the `Authorization` header. Credentials of the form `id:secret` are sent as Basic, with both parts form-encoded (RFC
 * 6749 §2.3.1). Credentials without a colon are sent as a Bearer token (RFC 6750 §2.1).
 */
function authorizationOf(credentials: string): string {
  const colon = credentials.indexOf(":");
  if (colon < 0) return `Bearer ${credentials}`;
  const parts = [credentials.slice(0, colon), credentials.slice(colon + 1)].map(encodeURIComponent);
  return `Basic ${Buffer.from(parts.join(":")).toString("base64")}`;
}

/** Throws if the response is malformed (RFC 7662 §2.2), or if an active key lacks a value that the context headers need. */
function readIntrospectionResponse(
  body: string,
  names: ReadonlyMap<string, string>,
  audience: string | undefined,
): KeyState {
  const answer = parsedJson(body);
  if (answer === undefined) throw new FailureReason("answered no JSON");
  if (!isRecord(answer) || typeof answer.active !== "boolean")
    throw new FailureReason("answered no boolean active");
  if (!answer.active || isTooEarly(answer.nbf) || !isFor(audience, answer.aud)) return "inactive";
  const context = readCallerContext(answer, names, "answered");
  return { context, validMs: remaining(answer.exp) };
}

/** Whether a token is for this API. True without `aud`, because API keys and some servers' tokens have none. */
const isFor = (audience: string | undefined, aud: unknown): boolean =>
  audience === undefined || aud === undefined || aud === null || [aud].flat().includes(audience);

const isTooEarly = (nbf: unknown): boolean => (numericDate("nbf", nbf) ?? 0) * 1000 > Date.now();

/** Milliseconds until `exp`. Infinite if `exp` is absent or null. */
function remaining(exp: unknown): number {
  const seconds = numericDate("exp", exp);
  return seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000 - Date.now();
}

/** Returns a NumericDate in seconds since 1970 (RFC 7519 §2), or `undefined` if `value` is absent or null. */
function numericDate(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") throw new FailureReason(`answered a malformed ${name}`);
  return value;
}

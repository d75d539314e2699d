/**
 * Phase 2's client: asks the key introspection service whether an API key is active and whose it is (RFC 7662).
 * Every failure (down, slow, malformed, refused) is SERVICE_UNAVAILABLE, never a pass. It keeps nothing: `key-cache.ts` does.
 */
import { Pool } from "undici";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { proofHeader, type TenantContext } from "../http/context-headers.ts";

/** What the service says of a key; `expiresAt` in ms since the epoch. */
export type KeyState = { context: TenantContext; expiresAt: number } | "inactive";
export type LookUp = (key: string) => Promise<KeyState>;

/** Connections to the service, and so look-ups at a time: a flood of wrong keys waits here, not there. */
const concurrency = 16;
const maxAnswerBytes = 65_536;

/** Asks `service` within `KEY_INTROSPECTION_TIMEOUT_MS`; `close` breaks off what is under way. */
export function createLookUp(config: Config, service: URL): { lookUp: LookUp; close: () => Promise<void> } {
  const pool = new Pool(service.origin, {
    connections: concurrency,
    connect: { timeout: config.env.CONNECT_TIMEOUT_MS },
    maxResponseSize: maxAnswerBytes,
  });
  const headers = requestHeaders(config.env.GATEWAY_SECRET);
  // a little less than the whole, so that the 503 itself is still inside it
  const timeout = Math.ceil(config.env.KEY_INTROSPECTION_TIMEOUT_MS * 0.95);
  const lookUp: LookUp = async (key) => {
    const body = new URLSearchParams({ token: key }).toString();
    const signal = AbortSignal.timeout(timeout);
    try {
      const response = await pool.request({ path: service.pathname, method: "POST", headers, body, signal });
      if (response.statusCode === 200) return readAnswer(await response.body.json());
      await response.body.dump();
      throw new Error(`key introspection at ${service.pathname} answered ${response.statusCode}`);
    } catch (cause) {
      throw new CodedError(
        "SERVICE_UNAVAILABLE",
        "the API key cannot be checked now",
        { retryAfter: 1 },
        cause,
      );
    }
  };
  return { lookUp, close: () => pool.destroy() };
}

function requestHeaders(secret: string | undefined): Record<string, string> {
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  return secret === undefined ? headers : { ...headers, [proofHeader]: secret };
}

/** RFC 7662 §2.2. Throws when an active answer lacks what the context headers need. */
function readAnswer(answer: unknown): KeyState {
  if (!isRecord(answer) || typeof answer.active !== "boolean")
    throw new Error("key introspection answered something else");
  if (!answer.active) return "inactive";
  const context: TenantContext = {
    tenantId: text(answer, "tenant_id"),
    userId: text(answer, "user_id"),
    apiKeyId: text(answer, "api_key_id"),
    roles: texts(answer, "roles"),
    permissions: texts(answer, "permissions"),
    features: texts(answer, "features"),
    keyScopes: texts(answer, "key_scopes"),
    teams: texts(answer, "teams"),
  };
  return { context, expiresAt: expiry(answer.exp) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function text(answer: Record<string, unknown>, name: string): string {
  const value = answer[name];
  if (typeof value !== "string" || value === "") throw new Error(`key introspection answered no ${name}`);
  return value;
}

function texts(answer: Record<string, unknown>, name: string): string[] {
  const value = answer[name];
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string" && item !== "")) {
    throw new Error(`key introspection answered no list of ${name}`);
  }
  return value;
}

/** `exp` is in seconds since the epoch (RFC 7519 §2); absent or null, the key does not expire. */
function expiry(exp: unknown): number {
  if (exp === undefined || exp === null) return Number.POSITIVE_INFINITY;
  if (typeof exp !== "number") throw new Error("key introspection answered a malformed exp");
  return exp * 1000;
}

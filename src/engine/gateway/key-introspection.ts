/**
 * Phase 2: the client of the key introspection service (RFC 7662). The service tells whether an API key is active, and
 * its owner. Every failure (down, slow, malformed, refused) is SERVICE_UNAVAILABLE: without an answer nobody gets in.
 * `key-verifier.ts` caches the answers.
 */
import { CodedError, FailureReason } from "../runtime/coded-error.ts";
import { proofHeader, type TenantContext } from "../runtime/http/context-headers.ts";
import { spreadPool } from "../runtime/rest/upstream/spread-pool.ts";
import { upstreamConnector } from "../runtime/rest/upstream/upstream-connector.ts";
import type { Config } from "../runtime/settings/config.ts";
import { introspectionNames } from "../runtime/settings/validators.ts";
import { isRecord, parsedJson } from "../shared/json-object.ts";
import { own } from "../shared/own.ts";

/** The state of an active key; `validMs` is the time until it expires, in ms. */
export type ActiveKey = { context: TenantContext; validMs: number };
export type KeyState = ActiveKey | "inactive";
export type IntrospectKey = (key: string, signal: AbortSignal) => Promise<KeyState>;

const maxResponseBytes = 65_536;

/** `signal` aborts a look-up, `close` aborts all. The caller bounds the number of concurrent look-ups. */
export function createKeyIntrospection(
  config: Config,
  service: URL,
): { lookUp: IntrospectKey; close: () => Promise<void> } {
  const pool = spreadPool(service.origin, {
    connect: upstreamConnector(config.env),
    maxResponseSize: maxResponseBytes,
  });
  const headers = requestHeaders(config.env);
  const names = introspectionNames(config.env.KEY_INTROSPECTION_NAMES);
  const lookUp: IntrospectKey = async (key, signal) => {
    const body = new URLSearchParams({ token: key }).toString();
    try {
      const response = await pool.request({ path: service.pathname, method: "POST", headers, body, signal });
      if (response.statusCode === 200) return readIntrospectionResponse(await response.body.text(), names);
      await response.body.dump();
      throw new FailureReason(`answered ${response.statusCode}`);
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

/** A service may hide from strangers behind a 404. */
const mendProof =
  "is the path right, and does the service take GATEWAY_SECRET or KEY_INTROSPECTION_CREDENTIALS as set here?";

/**
 * Asks about a token that nobody has: RFC 7662 §2.2 wants `active: false` for it, also where the service knows no such
 * form. Resolves with what is wrong with the answer, or with `undefined`. Throws where there was no answer.
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
    return `POST ${service.pathname} ${cause.code}; ${isRefusal ? mendProof : "is the path right?"}`;
  } finally {
    void close();
  }
}

/** Two proofs, either of which the service may ask for: the gateway's own, and OAuth's of a client (RFC 7662 §2.1). */
function requestHeaders({ GATEWAY_SECRET, KEY_INTROSPECTION_CREDENTIALS: credentials }: Config["env"]) {
  return {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
    ...(GATEWAY_SECRET !== undefined && { [proofHeader]: GATEWAY_SECRET }),
    ...(credentials !== undefined && { authorization: authorizationOf(credentials) }),
  };
}

/** `id:secret` by Basic, each part form-encoded (RFC 6749 §2.3.1), anything else as a Bearer token (RFC 6750 §2.1). */
function authorizationOf(credentials: string): string {
  const colon = credentials.indexOf(":");
  if (colon < 0) return `Bearer ${credentials}`;
  const parts = [credentials.slice(0, colon), credentials.slice(colon + 1)].map(encodeURIComponent);
  return `Basic ${Buffer.from(parts.join(":")).toString("base64")}`;
}

/** RFC 7662 §2.2. Throws when an active key's response lacks a value of the context headers. */
function readIntrospectionResponse(body: string, names: ReadonlyMap<string, string>): KeyState {
  const answer = parsedJson(body);
  if (answer === undefined) throw new FailureReason("answered no JSON");
  if (!isRecord(answer) || typeof answer.active !== "boolean")
    throw new FailureReason("answered no boolean active");
  if (!answer.active || isTooEarly(answer.nbf)) return "inactive";
  const text = (name: string): string => textAt(answer, names.get(name) ?? name);
  const texts = (name: string): readonly string[] =>
    textsAt(answer, names.get(name) ?? name, names.has(name));
  const context: TenantContext = {
    tenantId: text("tenant_id"),
    userId: text("user_id"),
    apiKeyId: text("api_key_id"),
    roles: texts("roles"),
    permissions: texts("permissions"),
    features: texts("features"),
    keyScopes: texts("key_scopes"),
    teams: texts("teams"),
  };
  return { context, validMs: remaining(answer.exp) };
}

function textAt(answer: Record<string, unknown>, name: string): string {
  const value = own(answer, name);
  if (!isText(value)) throw new FailureReason(`answered no ${name}`);
  return value;
}

/** A lone surrogate cannot stand in a header. */
const isText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.isWellFormed();

/**
 * A list of texts. Under a name of the service's own it may be one text with spaces between them, as `scope` is (RFC 7662
 * §2.2), and the empty name stands for no list.
 */
function textsAt(answer: Record<string, unknown>, name: string, isTheirs: boolean): readonly string[] {
  if (name === "") return [];
  const given = own(answer, name);
  const isOneText = isTheirs && typeof given === "string";
  const value = isOneText ? given.split(" ").filter((each) => each !== "") : given;
  if (!Array.isArray(value) || !value.every(isText)) throw new FailureReason(`answered no list of ${name}`);
  return value;
}

/** `nbf`: not to be used before, in seconds since the epoch. */
const isTooEarly = (nbf: unknown): boolean => (secondsIn("nbf", nbf) ?? 0) * 1000 > Date.now();

/** Milliseconds until `exp`, in seconds since the epoch (RFC 7519 §2); absent or null, the key does not expire. */
function remaining(exp: unknown): number {
  const seconds = secondsIn("exp", exp);
  return seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000 - Date.now();
}

/** A NumericDate (RFC 7519 §2); `undefined` if it is absent or null. Throws for any other value: no key counts by a guess. */
function secondsIn(name: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number") throw new FailureReason(`answered a malformed ${name}`);
  return value;
}

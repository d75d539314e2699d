/** The gateway's look-up of keys, in memory or over a socket. */
import type { IntrospectKey, KeyState } from "../../../src/engine/gateway/key-introspection.ts";
import { KeyVerifier } from "../../../src/engine/gateway/key-verifier.ts";
import type { TenantContext } from "../../../src/engine/runtime/http/context-headers.ts";

export const context: TenantContext = {
  ...{ tenantId: "t", userId: "u", apiKeyId: "k" },
  ...{ roles: [], permissions: [], features: [], keyScopes: [], teams: [] },
};
export const active: KeyState = { context, validMs: Number.POSITIVE_INFINITY };

/** Keys shown from one address unless said otherwise. */
export const remember = (lookUp: IntrospectKey, timeoutMs = 60_000) => {
  const keys = new KeyVerifier(lookUp, timeoutMs);
  return (key: string, owner = "192.0.2.1") => keys.verify(key, owner);
};

/** Shows the key to a gateway. */
export const call = (url: URL, key: string, path = "/v1/identity/me"): Promise<Response> =>
  fetch(new URL(path, url), { headers: { "x-api-key": key } });

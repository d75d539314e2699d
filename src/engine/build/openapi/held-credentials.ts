/** Finds the operations that the server calls with its own credentials (`spec/credentials.yaml`). */
import { membersOf } from "../../shared/json-object.ts";
import { isNeverCredential } from "../../shared/never-credentials.ts";
import type { HeldCredential, Operation } from "../../shared/operation.ts";
import type { CredentialsFile } from "./credentials-file.ts";
import type { RestDocument, RestNode } from "./document.ts";
import { methodAndPath, ownPath, type RestOperation } from "./operation.ts";
import type { RestOperations } from "./read-operations.ts";
import { credentialHeadersOf, ownHeaderOf, schemesOf } from "./security.ts";

/** `GET /things/{id}`: names an operation in `spec/credentials.yaml`, without the document's name. */
export const ownMethodAndPath = (operation: RestOperation): string =>
  methodAndPath({ method: operation.method, path: ownPath(operation) });

type Held = NonNullable<Operation["held"]>;

export type HeldByOperation = ReadonlyMap<RestOperation, Held>;

/** Returns where the server sends a scheme's credential; `undefined` if it cannot send credentials of this kind. */
export function heldPlaceOf(scheme: RestNode | undefined): Omit<HeldCredential, "file"> | undefined {
  const { type, scheme: given, in: location, name } = membersOf(scheme?.value);
  const header = ownHeaderOf(scheme);
  if (type === "apiKey") {
    if (header !== undefined) return isNeverCredential(header) ? undefined : { in: "header", name: header };
    if (typeof name !== "string") return undefined;
    if (location === "query" && name !== "") return { in: "query", name };
    return location === "cookie" && /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? { in: "cookie", name } : undefined;
  }
  if (header === undefined) return undefined;
  const authScheme = type === "http" ? String(given).toLowerCase() : "bearer";
  if (authScheme === "basic") return { in: "header", name: header, scheme: "Basic" };
  return authScheme === "bearer" ? { in: "header", name: header, scheme: "Bearer" } : undefined;
}

/**
 * For each operation, chooses the first alternative in its `security` for which the server has every credential. If there is
 * none, the operation is absent from the result, and is called with the caller's credentials.
 */
export function heldCredentials(
  document: RestDocument,
  operations: RestOperations,
  file: CredentialsFile,
): HeldByOperation {
  const held = new Map<RestOperation, Held>();
  for (const operation of operations.values()) {
    const section = file.get(operation.root.name ?? "");
    if (section?.origin === undefined) continue;
    for (const schemes of schemesOf(document, operation)) {
      const credentials = schemes.flatMap(({ name, node }): HeldCredential[] => {
        const given = section.schemes.get(name);
        const place = heldPlaceOf(node);
        const isIssued = place?.scheme === "Bearer" || given?.token === undefined;
        return given && place && isIssued ? [{ ...place, ...given }] : [];
      });
      if (credentials.length === 0 || credentials.length < schemes.length) continue;
      const name = ownMethodAndPath(operation);
      const tenant = section.tenantParameters.get(name);
      const permission = section.permissions.get(name);
      held.set(operation, {
        origin: section.origin,
        credentials,
        ...(tenant && { tenant }),
        ...(permission !== undefined && { permission }),
        ...(section.rateLimit && { rateLimit: section.rateLimit }),
      });
      break;
    }
  }
  return held;
}

/** Whose credential a call sends. `tenant` means that the server has a separate credential for each tenant. */
export type CredentialUse = {
  readonly of: "caller" | "server" | "tenant" | "none";
  /** A description of each credential. */
  readonly texts: readonly string[];
};

export function credentialUse(
  document: RestDocument,
  held: HeldByOperation,
  operation: RestOperation,
): CredentialUse {
  const own = held.get(operation);
  if (own) {
    const texts = own.credentials.map(
      ({ in: location, name, file, perTenant, token }) =>
        `the server's, in the ${location} as ${name}, to ${own.origin} only; ${perTenant ? `one per tenant (${file}/)` : `one for all tenants (${file})${own.tenant ? `, whose id is the ${own.tenant.in} parameter ${own.tenant.name}` : ""}`}${token ? `; a token from ${token.url}` : ""}${own.permission === undefined ? "" : `; for callers with the permission ${own.permission}`}${own.rateLimit ? `; at most ${own.rateLimit.requests} requests in ${own.rateLimit.seconds} s` : ""}`,
    );
    return { of: own.credentials.every(({ perTenant }) => perTenant) ? "tenant" : "server", texts };
  }
  const headers = credentialHeadersOf(document, operation).map((way) => way.join(" and "));
  return headers.length > 0
    ? { of: "caller", texts: [`the caller's, from ${headers.join(" or ")}`] }
    : { of: "none", texts: ["none"] };
}

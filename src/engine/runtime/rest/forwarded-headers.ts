/**
 * Selects the headers of a request that are forwarded to REST, by an allow-list. An operation receives the credentials that its
 * OpenAPI document declares for it. The context headers, the gateway's proof and the trace headers are forwarded only if the
 * proof is valid. A product with its own OpenAPI document receives the context headers and the proof only if `CONTEXT_PRODUCTS`
 * lists the product. An unlisted product may belong to a vendor, who could use the proof to impersonate any tenant.
 */
import type { IncomingHttpHeaders } from "node:http";
import { LRUCache } from "lru-cache";
import type { Operations } from "../../shared/operation.ts";
import { Dictionary, own } from "../../shared/own.ts";
import { contextHeaderNames, readContextList } from "../http/context-headers.ts";
import { hasProof, proofHeader } from "../http/gateway-proof.ts";
import { callerProfiles } from "../settings/capacity.ts";
import type { Config } from "../settings/config.ts";
import { CallerHeaders, CallerProfile, digestIfLong } from "./caller-headers.ts";
import { credentialNames, credentialReader, ownersOf } from "./credentials.ts";
import { hasOwnDocument } from "./upstream/base-urls.ts";

const trace = ["traceparent", "tracestate"];

type HeaderForwarder = (headers: IncomingHttpHeaders, requestId: string) => CallerHeaders;

const verified = "tenant ";

/** Whether the gateway vouches for the caller. */
export const isVerified = ({ caller }: CallerHeaders): boolean => caller.startsWith(verified);

/** `operations` are all operations that a request may call. */
export function headerForwarder({ env }: Config, operations: Operations): HeaderForwarder {
  const contextNames = contextHeaderNames(env.CONTEXT_HEADER_PREFIX);
  const vouchedFor = [...contextNames, proofHeader];
  const credentialsOf = credentialReader(operations, env.CONTEXT_HEADER_PREFIX);
  const ownersIn = ownersOf(operations);
  const [tenantId = ""] = contextNames;
  const profiles = new LRUCache<string, CallerProfile>({
    maxSize: callerProfiles.bytes,
    sizeCalculation: (_profile, key) => key.length + callerProfiles.bytesOfEach,
  });
  const foreign = Object.entries(operations).flatMap(([name, { product }]) =>
    hasOwnDocument(name) && !env.CONTEXT_PRODUCTS.includes(product) ? [product] : [],
  );
  const withheld = foreign.length > 0 ? { names: vouchedFor, products: new Set(foreign) } : undefined;
  const credentialHeaders = credentialNames(operations);
  const decidingHeaders = [...credentialHeaders, ...vouchedFor];
  const createProfile = (given: IncomingHttpHeaders, isProved: boolean): CallerProfile => {
    const headers = new Dictionary<string>({ accept: "application/json" });
    if (isProved) copyHeaders(headers, given, vouchedFor);
    const credentials = credentialsOf(given);
    const tenant = headers[tenantId];
    const owners =
      tenant !== undefined
        ? [{ name: verified + tenant, headers: [] }]
        : ownersIn(credentials).map((owner) => ({ ...owner, name: `key ${digestIfLong(owner.name)}` }));
    const permissions = new Set(
      isProved ? readContextList(env.CONTEXT_HEADER_PREFIX, headers, "permissions") : [],
    );
    return new CallerProfile(headers, credentials, owners, { tenant, permissions });
  };
  return (given, requestId) => {
    const isProved = hasProof(env, given[proofHeader]);
    const key = textOfHeaders(given, isProved ? decidingHeaders : credentialHeaders);
    let profile = profiles.get(key);
    if (!profile) {
      profile = createProfile(given, isProved);
      if (key.length <= callerProfiles.characters) profiles.set(key, profile);
    }
    const headers = new Dictionary<string>(profile.headers);
    headers["x-request-id"] = requestId;
    copyHeaders(headers, given, isProved ? requestHeadersWithTrace : requestHeaders);
    return new CallerHeaders(profile, headers, withheld);
  };
}

const requestHeaders = ["accept-language"];
const requestHeadersWithTrace = [...requestHeaders, ...trace];

function copyHeaders(target: Dictionary<string>, given: IncomingHttpHeaders, names: readonly string[]): void {
  for (const name of names) {
    const value = own(given, name);
    if (typeof value === "string") target[name] = value;
  }
}

/**
 * Returns a cache key for headers. It is unambiguous: header values contain no line breaks, and an absent header differs from an
 * empty one. The number of lines of the key differs with and without a valid proof.
 */
function textOfHeaders(given: IncomingHttpHeaders, names: readonly string[]): string {
  let text = "";
  for (const name of names) {
    const value = own(given, name);
    text += typeof value === "string" ? `=${value}\n` : "\n";
  }
  return text;
}

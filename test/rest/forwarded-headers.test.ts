/** What of a request travels on to REST, and whose request it is taken for. */
import type { IncomingHttpHeaders } from "node:http";
import { expect, test } from "vitest";
import { proofHeader, writeContextHeaders } from "../../src/http/context-headers.ts";
import { headerForwarder } from "../../src/rest/forwarded-headers.ts";
import { configure } from "../graphql/configure.ts";

const secret = "a-secret-of-the-gateway";
const lists = { roles: [], permissions: [], features: [], keyScopes: [], teams: [] };
const forward = headerForwarder(configure({ GATEWAY_SECRET: secret }));
const callerOf = (headers: IncomingHttpHeaders): string => forward(headers, "id").caller;
const ofTenant = (tenantId: string, proof = secret): IncomingHttpHeaders => ({
  ...writeContextHeaders("X-Service-", { tenantId, userId: "u", apiKeyId: "k", ...lists }),
  [proofHeader]: proof,
});

test("with the gateway's proof, a caller is known by its tenant, whatever its key", () => {
  const [one, other] = ["a", "b"].map((key) => callerOf({ ...ofTenant("t"), "x-api-key": key }));
  expect(one).toBe(other);
  expect(callerOf(ofTenant("u"))).not.toBe(one);
});

test("without the gateway's proof, a caller is known by its credential, never by a tenant header", () => {
  const key = callerOf({ "x-api-key": "t" });
  expect(callerOf({ ...ofTenant("u", "wrong"), "x-api-key": "t" })).toBe(key);
  expect(key).not.toBe(callerOf(ofTenant("t")));
  expect(callerOf({ authorization: "Bearer t" })).not.toBe(key);
});

test("a request without a credential, or with two, belongs to no known caller", () => {
  const both = (key: string) => callerOf({ "x-api-key": key, authorization: "Bearer t" });
  expect(both("a")).toBe(both("b"));
  expect(callerOf({})).toBe(callerOf({ "accept-language": "en" }));
});

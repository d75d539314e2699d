/** What of a request travels on to REST, and whose request it is taken for. */
import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import { writeContextHeaders } from "../../../../src/engine/runtime/http/context-headers.ts";
import { proofHeader } from "../../../../src/engine/runtime/http/gateway-proof.ts";
import { headerForwarder } from "../../../../src/engine/runtime/rest/forwarded-headers.ts";
import type { Operation } from "../../../../src/engine/shared/operation.ts";
import { configure } from "../graphql/configure.ts";

const secret = "a-secret-of-the-gateway";
const lists = { roles: [], permissions: [], features: [], keyScopes: [], teams: [] };
const config = configure({ GATEWAY_SECRET: secret });

type WaysIn = readonly (readonly string[])[];
const operation = (id: string, credentials?: WaysIn): Operation => ({
  id,
  product: "",
  ...(credentials && { credentials }),
});
const forwarderFor = (...ways: WaysIn[]) =>
  headerForwarder(
    config,
    Object.fromEntries(ways.map((way, index) => [`GET /${index}`, operation(`${index}`, way)])),
  );

const keyOrBearer: WaysIn = [["x-api-key"], ["authorization"]];
const forward = forwarderFor(keyOrBearer);
const callerOf = (headers: IncomingHttpHeaders, by = forward): string => by(headers, "id").caller;
const ofTenant = (tenantId: string, proof = secret): IncomingHttpHeaders => ({
  ...writeContextHeaders("X-Service-", { tenantId, userId: "u", apiKeyId: "k", ...lists }),
  [proofHeader]: proof,
});

test("a long credential is remembered by its digest, so that thousands of them take little memory", () => {
  const long = "k".repeat(15_000);
  const [one, same, other] = [`${long}a`, `${long}a`, `${long}b`].map((key) =>
    forward({ "x-api-key": key }, "id"),
  );
  expect(one?.credentials).toEqual({ "x-api-key": `${long}a` });
  for (const text of ["identity", "caller"] as const) {
    expect(one?.[text].length).toBeLessThan(100);
    expect(one?.[text]).toBe(same?.[text]);
    expect(one?.[text]).not.toBe(other?.[text]);
  }
});

describe("what is remembered of a caller", () => {
  test("is shared by requests that bring the same credentials and context, and by no others", () => {
    const profileOf = (headers: IncomingHttpHeaders) => forward(headers, "id").profile;
    const tenant = ofTenant("t");
    expect(profileOf({ "x-api-key": "a", "accept-language": "de" })).toBe(profileOf({ "x-api-key": "a" }));
    expect(profileOf({ ...tenant, traceparent: "a" })).toBe(profileOf(tenant));
    const others: IncomingHttpHeaders[] = [
      {},
      { "x-api-key": "" },
      { authorization: "" },
      { "x-api-key": "", authorization: "" },
      { "x-api-key": "a" },
      { authorization: "a" },
      { "x-api-key": "a", authorization: "a" },
      { ...tenant, [proofHeader]: "forged" },
      tenant,
      { ...tenant, "x-api-key": "a" },
      ofTenant("other"),
      { ...tenant, "x-service-user-id": "other" },
      { ...tenant, "x-service-roles": undefined },
    ];
    const profiles = others.map(profileOf);
    const expected = others.map((_, at) => (at === 7 ? 0 : at)); // a forged context is none
    expect(profiles.map((profile) => profiles.indexOf(profile))).toEqual(expected);
  });

  test("is nothing that differs in each request", () => {
    const languageOf = (language?: string) =>
      forward({ "x-api-key": "a", "accept-language": language }, "id").headers["accept-language"];
    expect([languageOf("de"), languageOf(), languageOf("fr")]).toEqual(["de", undefined, "fr"]);
    const traced = forward({ ...ofTenant("t"), traceparent: "one" }, "first").headers;
    const later = forward(ofTenant("t"), "second").headers;
    expect([traced.traceparent, traced["x-request-id"]]).toEqual(["one", "first"]);
    expect([later.traceparent, later["x-request-id"]]).toEqual([undefined, "second"]);
  });

  test("has a bound, so that made-up credentials take no memory", () => {
    const first = forward({ "x-api-key": "first" }, "id").profile;
    for (let at = 0; at < 40_000; at++) forward({ "x-api-key": `made-up-${at}` }, "id");
    expect(forward({ "x-api-key": "first" }, "id").profile).not.toBe(first);
    const long = { "x-api-key": "k".repeat(15_000) };
    expect(forward(long, "id").profile).not.toBe(forward(long, "id").profile);
  });
});

test("only an operation that needs a credential, and got it, proves that it is good", () => {
  const proves = (called: Operation): boolean => {
    const forwarded = forward({ "x-api-key": "a" }, "id");
    forwarded.unknown = forwarded.owners;
    forwarded.succeeded(called);
    return forwarded.accepted.length > 0;
  };
  expect(proves(operation("ours", keyOrBearer))).toBe(true);
  expect(proves(operation("public"))).toBe(false);
  expect(proves({ ...operation("optional", keyOrBearer), anonymous: true })).toBe(false);
  expect(proves(operation("both", [["x-api-key", "x-user"]]))).toBe(false);
});

describe("whose request it is", () => {
  test("a caller is the tenant that the gateway vouches for, whatever the key", () => {
    const [one, other] = ["a", "b"].map((key) => callerOf({ ...ofTenant("t"), "x-api-key": key }));
    expect(one).toBe(other);
    expect(callerOf(ofTenant("u"))).not.toBe(one);
  });

  test("without the gateway's proof a caller is the holder of a credential, and never somebody's tenant", () => {
    const key = callerOf({ "x-api-key": "t" });
    expect(callerOf({ ...ofTenant("u", "wrong"), "x-api-key": "t" })).toBe(key);
    expect(key).not.toBe(callerOf(ofTenant("t")));
    expect(callerOf({ authorization: "Bearer t" })).not.toBe(key);
  });

  test("a request without a credential has no owner, and one with two has two, in the order of the document", () => {
    const namesOf = (headers: IncomingHttpHeaders) => forward(headers, "id").owners.map(({ name }) => name);
    const both = { authorization: "Bearer t", "x-api-key": "a" };
    expect(namesOf(both)).toEqual([callerOf({ "x-api-key": "a" }), callerOf({ authorization: "Bearer t" })]);
    expect(namesOf({ "accept-language": "en" })).toEqual([]);
  });

  test("the order in which a document names the headers of one credential makes no other caller, nor none", () => {
    const by = forwarderFor([["id", "key"]], [["key", "id"]]);
    expect(by({ id: "a", key: "b" }, "id").owners).toHaveLength(1);
  });

  test("two credentials that belong together make one caller; what is not declared makes none", () => {
    const by = forwarderFor([["app_id", "app_key"]]);
    const pair = (id: string, key: string) => callerOf({ app_id: id, app_key: key }, by);
    expect(pair("a", "b")).not.toBe(pair("a", "c"));
    expect(pair("a", "b")).not.toBe(pair("c", "b"));
    expect(callerOf({ app_id: "a" }, by)).toBe(callerOf({}, by));
    expect(callerOf({ "x-api-key": "a" }, by)).toBe(callerOf({}, by));
  });

  test("a second header that only some operations take makes no other caller of the holder of a key", () => {
    const by = forwarderFor([["key"]], [["key", "project"]]);
    const inProject = (project: string) => callerOf({ key: "k", project }, by);
    expect(inProject("a")).toBe(inProject("b"));
    expect(inProject("a")).toBe(callerOf({ key: "k" }, by));
  });

  test("no value of one credential passes for two", () => {
    const by = forwarderFor([["a", "b"]], [["c"]]);
    expect(callerOf({ c: "1\nb: 2" }, by)).not.toBe(callerOf({ a: "1", b: "2" }, by));
  });
});

describe("what travels on", () => {
  const open = operation("open");
  const byKey = operation("byKey", [["api_access_token"]]);
  const byEither = operation("byEither", [["api_access_token"], ["authorization"]]);
  const by = headerForwarder(config, { "GET /a": open, "GET /b": byKey, "GET /c": byEither });
  const sent = (headers: IncomingHttpHeaders, to: Operation) => {
    const { accept: _, "x-request-id": __, ...others } = by(headers, "id").headersOf(to);
    return others;
  };
  const all = {
    api_access_token: "t",
    authorization: "Bearer b",
    "x-api-key": "of the gateway",
    cookie: "c=1",
  };

  test("each operation receives the credentials that are declared for it, and nothing else", () => {
    expect(sent(all, open)).toEqual({});
    expect(sent(all, byKey)).toEqual({ api_access_token: "t" });
    expect(sent(all, byEither)).toEqual({ api_access_token: "t", authorization: "Bearer b" });
  });

  test("a document cannot declare a header of the gateway or of the connection as a credential", () => {
    const ours = [
      "x-service-tenant-id",
      proofHeader,
      "x-request-id",
      "traceparent",
      "accept",
      "host",
      "cookie",
      "x_service_tenant_id",
      "x-service.user_id",
      "x_service_anything",
      "x_gateway_proof",
      "x_request_id",
      "content_type",
      "proxy_authorization",
    ];
    const greedy = operation("greedy", [ours]);
    const forwarded = headerForwarder(config, { "GET /a": greedy })(
      Object.fromEntries(ours.map((name) => [name, "forged"])),
      "id",
    );
    expect(forwarded.credentials).toEqual({});
    expect(forwarded.headers).toEqual({
      accept: "application/json",
      "x-request-id": "id",
    });
    const taken = {
      ...operation("taken", [["x-a"], ["x-b"], ["x-c"]]),
      places: {
        "x-a": { in: "header", name: proofHeader },
        "x-b": { in: "header", name: "authorization" },
        "x-c": { in: "header", name: "x_service.tenant_id" },
      },
    } as const;
    const placed = headerForwarder(config, { "GET /a": taken })(
      { "x-a": "forged", "x-b": "b", "x-c": "forged" },
      "id",
    );
    expect(placed.headersOf(taken)).toEqual({ ...forwarded.headers, authorization: "b" });
  });

  test("no header of a call, which an argument may feed, replaces what the gateway vouches for", () => {
    const forwarded = by(ofTenant("t1"), "id");
    const forged = Object.fromEntries(
      ["x-service-tenant-id", "x_service.user-id", proofHeader].map((name) => [name, "forged"]),
    );
    const own = { accept: "text/plain", "x-shop": "1" };
    expect(forwarded.headersOf(open, { ...forged, ...own })).toEqual({ ...forwarded.headers, ...own });
  });
});

test("an argument replaces no credential that came with the request, in any spelling, and so proves none", () => {
  const operation: Operation = { id: "a", product: "", credentials: [["x-api-key"]] };
  const forwarded = headerForwarder(config, { "GET /a": operation })({ "x-api-key": "the-caller" }, "id");
  for (const name of ["x-api-key", "x_api_key"]) {
    const headers = forwarded.headersOf(operation, { [name]: "an argument", "x-other": "b" });
    expect([headers["x-api-key"], headers.x_api_key, headers["x-other"]]).toEqual([
      "the-caller",
      undefined,
      "b",
    ]);
  }
  const without = headerForwarder(config, { "GET /a": operation })({}, "id");
  expect(without.headersOf(operation, { "x-api-key": "an argument" })["x-api-key"]).toBe("an argument");
});

test("a parameter with the name of a credential in the query is not sent beside it", () => {
  const operation: Operation = {
    ...{ id: "a", product: "", credentials: [["x-q-key"]] },
    places: { "x-q-key": { in: "query", name: "api_key" } },
  };
  const forward = headerForwarder(config, { "GET /a": operation });
  const query = { api_key: "other", q: "a" };
  expect(forward({ "x-q-key": "secret" }, "id").queryOf(operation, query)).toEqual({ q: "a" });
  expect(forward({}, "id").queryOf(operation, query)).toEqual(query);
});

test("a caller stays the same while the gateway's proof is rotated, so that a write drops all that is kept", () => {
  const rotating = configure({ GATEWAY_SECRET: secret, GATEWAY_SECRET_OLD: "the-old-secret-of-the-gateway" });
  const by = headerForwarder(rotating, { "GET /a": operation("a") });
  const [before, after] = ["the-old-secret-of-the-gateway", secret].map((proof) =>
    by(ofTenant("t", proof), "id"),
  );
  expect(before?.identity).toBe(after?.identity);
  expect(before?.identity).not.toBe(by(ofTenant("other"), "id").identity);
  expect(before?.identity).not.toContain("secret");
});

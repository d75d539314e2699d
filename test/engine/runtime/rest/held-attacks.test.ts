/** Attempts to get at a credential of the server, or at what another tenant may read with it. */
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ask, asTenant, canary, json, layer, type Seen, vendor } from "./vendor-project.ts";

const items = [{ id: "1", name: "one" }];
/** Each tenant's own token in what the vendor answers, as a fingerprint that is not the token. */
const ofTenant = (authorization = "") => [{ id: authorization.split("-").at(-1), name: "n" }];

const texts = (seen: readonly Seen[]): string => JSON.stringify(seen);

describe("attacks on credentials of the server", () => {
  test.each([
    "../tracker/acme",
    "..",
    ".",
    "../pager-key",
    "tracker/acme",
    "acme/",
    "/etc/passwd",
    "acme\\",
    "ACME",
    "acme%00",
    "acme%2e",
    "%2e%2e",
    "..%2Fpager-key",
    "acme, globex",
    "acme.",
    " ",
    "__proto__",
    "constructor",
    "linked-folder",
    "a".repeat(300),
  ])("a tenant whose id is %j gets no credential", async (tenant) => {
    const { vendors, project, begin } = await layer((_request, response) => json(response, 200, items));
    symlinkSync(project.directory, join(project.directory, "tracker/linked-folder"));
    const { url } = await begin();
    const answer = await ask(url, "{ issues { id } }", asTenant(tenant));
    expect(JSON.stringify(answer)).toMatch(/FORBIDDEN|UPSTREAM_UNAVAILABLE|UNAUTHENTICATED/);
    expect(vendors.tracker.seen).toEqual([]);
  });

  test("headers of the client change neither the credential nor the tenant", async () => {
    const { vendors, begin } = await layer((request, response) =>
      json(response, 200, ofTenant(request.headers.authorization)),
    );
    const { url } = await begin();
    const forged = {
      authorization: "Bearer forged",
      Authorization: "Bearer forged",
      "proxy-authorization": "forged",
    };
    const others = { cookie: "api_key=forged", "x-forwarded-host": "evil.example", "x-tenant-id": "globex" };
    const answer = await ask(
      url,
      "{ issues { id } services { id } }",
      asTenant("acme", { ...forged, ...others }),
    );
    expect(answer.data?.issues).toEqual([{ id: "acme" }]);
    const seen = texts([...vendors.tracker.seen, ...vendors.pager.seen]);
    expect(seen).not.toMatch(/forged|evil|globex/);
    // two tenants in one request: node joins the lines, and the joined id is nobody's
    const two = await fetch(new URL("/v1/graphql", url), {
      method: "POST",
      headers: [
        ...Object.entries(asTenant("acme")),
        ["x-service-tenant-id", "globex"],
        ["content-type", "application/json"],
      ],
      body: JSON.stringify({ query: "{ issues { id } }" }),
    });
    expect(await two.json()).toMatchObject({ errors: [{ extensions: { code: "FORBIDDEN" } }] });
  });

  test.each([301, 302, 303, 307, 308])("a redirect by %i carries it nowhere", async (status) => {
    const evil = await vendor((_request, response) => json(response, 200, items));
    const { begin } = await layer((request, response) =>
      json(response, status, {}, { location: `${evil.origin}${request.url}` }),
    );
    const { url } = await begin();
    const query = "{ services { id } issues { id } places { id } boxes { id } }";
    expect(JSON.stringify(await ask(url, query, asTenant("acme")))).toContain("BAD_UPSTREAM_RESPONSE");
    expect(evil.seen).toEqual([]);
  });

  test.each([
    "@evil.example/x",
    "//evil.example",
    "..",
    "../../admin",
    "%2e%2e",
    "x?api_key=forged",
    "x#fragment",
    "\\\\evil.example",
    "http://evil.example/",
    "x\r\nauthorization: Bearer forged",
  ])("the path value %j leads to no other host, path or header", async (id) => {
    const { vendors, begin } = await layer((_request, response) => json(response, 200, items[0]));
    const { url } = await begin();
    await ask(url, "query Q($id: ID!) { service(id: $id) { id } }", asTenant("acme"), { id });
    for (const { line, headers } of vendors.pager.seen) {
      expect(line).toMatch(/^GET \/services\/[^/?#]+$/);
      expect(headers.host).toBe(new URL(vendors.pager.origin).host);
      expect(headers.authorization).toContain(canary);
    }
  });

  test.each([
    "api_key",
    "API_KEY",
    "api-key",
    "api_key[]",
    "api.key",
    "api key",
    "api_key[x][y]",
    " \tapi_key",
    "api_key\u0000x",
  ])("a free member %j of an argument is not sent beside the credential", async (name) => {
    const { vendors, begin } = await layer((_request, response) => json(response, 200, items));
    const { url } = await begin();
    const query = "query Q($f: JSON) { places(filter: $f) { id } }";
    const answer = await ask(url, query, asTenant("acme"), { f: { [name]: "forged" } });
    expect(answer).toMatchObject({ errors: [{ extensions: { code: "BAD_USER_INPUT" } }] });
    expect(vendors.maps.seen).toEqual([]);
    await ask(url, query, asTenant("acme"), { f: { other: "a&api_key=forged" } });
    expect(vendors.maps.seen.map(({ line }) => line)).toEqual([
      "GET /places?other=a%26api_key%3Dforged&api_key=c4nary-maps-key",
    ]);
  });

  test("hundreds of reads of two tenants at once share no call and no kept response across them", async () => {
    const { vendors, begin } = await layer((request, response) =>
      setTimeout(
        () =>
          json(response, 200, ofTenant(request.headers.authorization), {
            "cache-control":
              vendors.tracker.seen.length % 2 ? "public, max-age=60" : "max-age=0, stale-while-revalidate=60",
            etag: '"same"',
          }),
        vendors.tracker.seen.length % 7,
      ),
    );
    const { url } = await begin();
    const tenants = Array.from({ length: 200 }, (_, at) => (at % 3 ? "acme" : "globex"));
    const answers = await Promise.all(
      tenants.map((tenant) => ask(url, "{ issues { id } }", asTenant(tenant))),
    );
    expect(answers.map(({ data }) => data?.issues?.[0]?.id)).toEqual(tenants);
  });

  test("a tenant without a file gets nothing that another has read, from no cache", async () => {
    const { vendors, begin } = await layer((_request, response) =>
      json(response, 200, items, { "cache-control": "public, s-maxage=60, max-age=60" }),
    );
    const { url } = await begin();
    for (const tenant of ["acme", "acme", "initech"]) await ask(url, "{ issues { id } }", asTenant(tenant));
    const answer = await ask(url, "{ issues { id } }", asTenant("initech"));
    expect(answer).toMatchObject({ data: { issues: null }, errors: [{ extensions: { code: "FORBIDDEN" } }] });
    expect(vendors.tracker.seen.length).toBe(1);
  });

  test("a tenant whose file is deleted gets nothing from a cache", async () => {
    const { vendors, project, begin } = await layer((_request, response) =>
      json(response, 200, items, { "cache-control": "max-age=600, stale-while-revalidate=600", etag: '"1"' }),
    );
    const { url } = await begin();
    for (let at = 0; at < 3; at++)
      expect(await ask(url, "{ issues { id } }", asTenant("acme"))).toEqual({
        data: { issues: [{ id: "1" }] },
      });
    expect(vendors.tracker.seen.length).toBe(1);
    rmSync(join(project.directory, "tracker/acme"));
    await sleep(1_100);
    for (const query of ["{ issues { id } }", "{ all: issues { id } }"])
      expect(await ask(url, query, asTenant("acme"))).toMatchObject({
        errors: [{ extensions: { code: "FORBIDDEN" } }],
      });
    expect(vendors.tracker.seen.length).toBe(1);
  });

  const token = "c4nary/pager+key=1";
  const spelled = (write: (code: number, character: string) => string, characters: RegExp): string =>
    token.replace(characters, (character) => write(character.charCodeAt(0), character));
  const hex = (code: number): string => code.toString(16).padStart(4, "0");
  test.each([
    ["JSON's escapes of all characters", spelled((code) => `\\u${hex(code)}`, /./g)],
    ["JSON within JSON", spelled((_code, character) => `\\\\\\${character}`, /[/]/g)],
    ["escapes of JSON within JSON", spelled((code) => `\\\\u${hex(code)}`, /\W/g)],
    ["a query within a query", encodeURIComponent(encodeURIComponent(token))],
    ["decimal character references", spelled((code) => `&#${code};`, /\W/g)],
    ["hexadecimal character references", spelled((code) => `&#x${code.toString(16).toUpperCase()};`, /\W/g)],
  ])("a credential that the vendor repeats in %s is masked", async (_what, said) => {
    const { begin } = await layer((request, response) =>
      response
        .writeHead(request.method === "GET" ? 200 : 422, {
          "content-type": request.method === "GET" ? "application/json" : "application/problem+json",
        })
        .end(
          request.method === "GET"
            ? `[{ "id": "\\u0061", "name": "key ${said}." }]`
            : `{ "title": "T", "detail": "key ${said}." }`,
        ),
    );
    const { url } = await begin();
    const read = await ask(url, "{ services { id name } }", asTenant("acme"));
    expect(read.data?.services).toEqual([{ id: "a", name: "key (secret)." }]);
    const refused = await ask(url, 'mutation { addService(input: { name: "x" }) { id } }', asTenant("acme"));
    expect(JSON.stringify(refused)).not.toContain("key ");
  });

  test("a base URL with a user, another port or another scheme does not start", async () => {
    const { begin, vendors } = await layer((_request, response) => json(response, 200, items));
    const { port } = new URL(vendors.pager.origin);
    for (const url of [
      `http://localhost:${port}`,
      `https://127.0.0.1:${port}`,
      "http://127.0.0.1:1",
      `http://127.0.0.1:${port}.evil.example`,
      `http://${new URL(vendors.pager.origin).host}@evil.example`,
    ])
      await expect(begin({ REST_BASE_URL_PAGER: url })).rejects.toThrow(/REST_BASE_URL_PAGER/);
  });

  test("the words of a vendor's refusal reach no client", async () => {
    const said = "row 7 of globex";
    const { begin } = await layer((request, response) =>
      json(
        response,
        [400, 403, 404, 409, 422, 429, 500, 503][Number(/q=(\d)/.exec(request.url ?? "")?.[1] ?? 4)] ?? 500,
        {
          title: said,
          detail: said,
          message: said,
          errors: [{ field: said, message: said }],
          argument: "name",
        },
      ),
    );
    const { url } = await begin();
    for (let at = 0; at < 8; at++) {
      const answer = await ask(url, `{ places(q: "${at}") { id } }`, asTenant("acme"));
      expect(JSON.stringify(answer)).not.toContain(said);
      expect(answer.errors).toHaveLength(1);
    }
    const refused = await ask(url, 'mutation { addService(input: { name: "x" }) { id } }', asTenant("acme"));
    expect(JSON.stringify(refused)).not.toContain(said);
    expect(refused.errors).toHaveLength(1);
  });

  test.each([
    ["an empty file", ""],
    ["a header of its own", "c4nary-key\r\nx-evil: 1"],
    ["other characters", "c4nary-kéy-1"],
    ["a null character", "c4nary\u0000key"],
    ["too many characters", `c4nary${"x".repeat(9_000)}`],
    ["a few characters", "c4nary"],
  ])("%s in place of the secret is not sent, and not shown", async (_what, text) => {
    const { vendors, project, begin } = await layer((_request, response) => json(response, 200, items));
    const { url } = await begin();
    writeFileSync(join(project.directory, "tracker/acme"), text);
    const answer = await ask(url, "{ issues { id } }", asTenant("acme"));
    expect(answer).toMatchObject({ errors: [{ extensions: { code: "UPSTREAM_UNAVAILABLE" } }] });
    expect(JSON.stringify(answer)).not.toContain(canary);
    expect(vendors.tracker.seen).toEqual([]);
  });
});

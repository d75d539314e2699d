/** No header of a response names the host of the upstream that sent it: its addresses become public paths, or go. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { publicAddresses } from "../../../src/engine/gateway/public-addresses.ts";
import { unitGrowth } from "../../support/cost.ts";
import { seed } from "../../support/seed.ts";
import { goodKey } from "./fakes.ts";
import { startGateway, upstream } from "./start.ts";

const path = "/v1/crm/contacts";

/** An upstream below `/base` that answers with the headers of `sent`, and the headers that a client gets of them. */
async function answered(sent: (origin: string) => Record<string, string | string[]>) {
  const rest = await upstream((request, response) => {
    response.writeHead(201, sent(`http://${request.headers.host}`)).end("{}");
  });
  const { url } = await startGateway({ rest: new URL("/base", rest) });
  const outgoing = httpRequest(new URL(path, url), {
    headers: { "x-api-key": goodKey, host: "api.example.com" },
  }).end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  answer.resume();
  return { headers: answer.headers, text: answer.rawHeaders.join("\n"), rest };
}

describe.each(["location", "content-location"])("%s", (name) => {
  test.each<[sent: string, shown: string | undefined]>([
    ["ORIGIN/base/v1/crm/contacts/con_1?a=b#c", "/v1/crm/contacts/con_1?a=b#c"],
    ["//HOST/base/v1/crm/contacts/con_1", "/v1/crm/contacts/con_1"],
    ["https://HOST/base/v1/x", "/v1/x"],
    ["http://user:word@HOST/base/v1/x", "/v1/x"],
    ["/base/v1/crm/contacts/con_1", "/v1/crm/contacts/con_1"],
    ["/v1/crm/contacts/con_1", "/v1/crm/contacts/con_1"],
    ["contacts/con_1", "/v1/crm/contacts/con_1"],
    ["?page=2", "/v1/crm/contacts?page=2"],
    ["http://api.example.com/v1/x", "/v1/x"],
    ["ORIGIN/internal/keys", undefined],
    ["ORIGIN//evil.example/v1/", undefined],
    ["../../../internal", undefined],
    ["http://crm.internal:8080/v1/x", undefined],
    ["http://HOST0/v1/x", undefined],
    ["ORIGIN/base/v1/x?back=ORIGIN/base/v1/y", undefined],
    ["javascript:alert(1)", undefined],
    ["http://[", undefined],
  ])("%s", async (sent, shown) => {
    const { headers, text, rest } = await answered((origin) => ({
      [name]: sent.replaceAll("ORIGIN", origin).replaceAll("HOST", origin.slice(7)),
    }));
    expect(headers[name]).toBe(shown);
    expect(text).not.toContain(rest.host);
  });
});

test("links are rewritten one by one, and a link without a public path goes", async () => {
  const { headers } = await answered((origin) => ({
    link: [
      `<${origin}/base${path}?page=2>; rel="next"; title="a, <b>; \\"c\\"", <http://other.internal/v1/x>; rel="last"`,
      `<${path}>; rel=first , <${origin}/base/v1/x>; rel="about"; anchor="${origin}/x"`,
    ],
  }));
  expect(headers.link).toBe(`<${path}?page=2>; rel="next"; title="a, <b>; \\"c\\"", <${path}>; rel=first`);
});

test.each([
  "no link",
  "<http://a",
  '</v1/x>; title="',
  "</v1/x> / </v1/y>; a=<",
  "<urn:a>",
  "</internal>",
  "<http://other.internal/v1/x>; rel=next",
  '</v1/x>; anchor="http://other.internal"',
])("a Link header that cannot be read, or has no public path, goes: %s", async (link) => {
  const { headers } = await answered(() => ({ link, "x-end": "1" }));
  expect([headers.link, headers["x-end"]]).toEqual([undefined, "1"]);
});

test("headers that name servers, or command a proxy, go; others stay", async () => {
  const { headers, text, rest } = await answered((origin) => ({
    ...{
      refresh: `5; url=${origin}/base/v1/x`,
      via: "1.1 rest-7.internal",
      "alt-svc": 'h2="rest.internal:443"',
    },
    ...{ "x-accel-redirect": "/internal", "x-sendfile": "/etc/passwd", "x-envoy-upstream-service-time": "3" },
    ...{ "x-real-ip": "10.0.0.1", forwarded: "for=10.0.0.1", "x-forwarded-host": "rest.internal" },
    "content-security-policy": `connect-src ${origin}`,
    "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`,
    "operation-location": `${origin}/base/v1/jobs/1`,
    "x-callback": `${encodeURIComponent(`${origin}/base`)}`,
    "x-node": origin.slice(7),
    ...{ etag: '"1"', "retry-after": "1", "content-language": "en", "x-end": "1" },
  }));
  expect(text).not.toContain(rest.host);
  expect(headers).toMatchObject({
    "operation-location": "/v1/jobs/1",
    ...{ etag: '"1"', "retry-after": "1", "content-language": "en", "x-end": "1" },
  });
  const own = [
    "connection",
    "date",
    "keep-alive",
    "transfer-encoding",
    "x-content-type-options",
    "x-request-id",
  ];
  const kept = ["etag", "retry-after", "content-language", "operation-location", "x-end", "cache-control"];
  expect(new Set(Object.keys(headers))).toEqual(new Set([...own, ...kept]));
});

const route = { upstream: new URL("http://rest.internal:8080/base"), path: `/base${path}`, isOwn: false };
const names = ["location", "content-location", "link", "x-any", "content-security-policy"];

test("no header names the upstream's host, whatever surrounds the address", () => {
  const piece = fc.constantFrom(
    "http://rest.internal:8080",
    "//rest.internal",
    "https://a@REST.internal:8080",
    "%2F%2Frest.internal",
    "/base/v1/x",
    "/v1/",
    "..",
    "?",
    "#",
    "<",
    ">",
    ";",
    ",",
    '"',
    "\\",
    " ",
    "rel=next",
    "; domain=rest.internal",
  );
  const header = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.array(header, { minLength: 1, maxLength: 3 }),
      (name, values) => {
        const shown = publicAddresses(route, "api.example.com", { [name]: values });
        const text = [shown[name] ?? []].flat().join("\n").toLowerCase();
        expect(text).not.toMatch(/(?:\/\/|%2f|@)rest\.internal(?![\w-]|\.\w)|rest\.internal:8080(?!\d)/);
      },
    ),
    { numRuns: 5_000, seed },
  );
});

test.each<[what: string, unit: string, head?: string]>([
  ["relations", "</v1/x>; rel=next, "],
  ["unclosed quotes", '</v1/x>; t="'],
  ["parameters", "; a=b", "</v1/x>"],
  ["brackets", "<"],
  ["slashes", "//"],
  ["domains", "; domain", "a=b"],
  ["spaces", " ", "a=b;"],
])("a header of many %s is read at the cost of its length", async (_name, unit, head = "") => {
  for (const name of names) {
    const read = (size: number): unknown =>
      publicAddresses(route, undefined, { [name]: head + unit.repeat(size / unit.length) });
    expect(await unitGrowth(read, 1_000, 33_000, 8), name).toBeLessThan(8); // 33 with the square
  }
});

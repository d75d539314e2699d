/** What the answer to a query by GET tells its client about keeping it: the strictest of REST's headers (RFC 9111 §5.2.2). */
import { expect, test } from "vitest";
import { api } from "../../desk/generated/index.ts";
import { inFrontOf } from "./rest-stand-in.ts";

type Headers = Record<string, string>;

const me = { id: "usr_1", tenantId: "ten_1", roles: [], permissions: [], features: [] };

/** Asks two products, whose responses have these headers. */
async function asking(profile: Headers, agents: Headers = { "cache-control": "max-age=60" }) {
  const { url } = await inFrontOf((request, response) => {
    const isProfile = request.url?.startsWith("/v1/identity") ?? false;
    response
      .writeHead(200, { "content-type": "application/json", ...(isProfile ? profile : agents) })
      .end(JSON.stringify(isProfile ? me : { items: [] }));
  });
  url.searchParams.set("query", "{ me { id } agents { id } }");
  return (more: Headers = {}): Promise<Response> => fetch(url, { headers: { "x-api-key": "key", ...more } });
}

const control = (answer: Response): string | null => answer.headers.get("cache-control");

test.each<[string, Headers]>([
  ["no-cache and an ETag", { "cache-control": "no-cache", etag: '"1"' }],
  ["no-cache alone", { "cache-control": "No-Cache" }],
  ["an ETag alone", { etag: '"1"' }],
  ["a date of modification", { "last-modified": "Sun, 22 Nov 2020 10:00:00 GMT" }],
  ["a lifetime of 0", { "cache-control": "max-age=0" }],
  ["a lifetime that is used up", { "cache-control": "max-age=60", age: "100000000" }],
  ["less than a second left", { "cache-control": "max-age=60", age: "60" }],
  ["Expires in the past", { expires: "0" }],
  ["no lifetime", { "cache-control": "private" }],
  ["Vary of everything", { "cache-control": "max-age=60", vary: "*" }],
])("with %s of one response: keep it, and ask each time", async (_name, headers) => {
  const get = await asking(headers);
  for (let count = 0; count < 2; count++) expect(control(await get())).toBe("private, no-cache");
});

test.each<[string, Headers]>([
  ["nothing", {}],
  ["no-store", { "cache-control": "no-store" }],
  ["no-store beside a lifetime", { "cache-control": "max-age=60, No-Store", etag: '"1"' }],
])("with %s of one response: do not keep it", async (_name, headers) => {
  for (const others of [{ "cache-control": "max-age=60" }, { "cache-control": "no-cache" }])
    expect(control(await (await asking(headers, others))())).toBe("private, no-store");
});

test("a response that REST lets be used while it is stale: ask each time", async () => {
  const get = await asking({ "cache-control": "max-age=0, stale-while-revalidate=600" });
  for (let count = 0; count < 2; count++) expect(control(await get())).toBe("private, no-cache");
});

test.each<[string, Headers]>([
  ["private, no-cache", { "cache-control": "no-cache" }],
  ["private, no-store", {}],
])("a 304 says %s, as the answer did (RFC 9110 §15.4.5)", async (said, headers) => {
  const get = await asking(headers);
  const first = await get();
  const again = await get({ "if-none-match": first.headers.get("etag") ?? "" });
  expect([first.status, again.status, await again.text()]).toEqual([200, 304, ""]);
  for (const name of ["cache-control", "etag", "vary"])
    expect(again.headers.get(name), name).toBe(first.headers.get(name));
  expect(control(again)).toBe(said);
});

test("an answer, a shared one and a 304 say that the operation asks for what REST deprecates", async () => {
  const deprecations = { "Query.me": { since: "2026-11-01", sunset: "2027-06-30" } };
  const { url, post } = await inFrontOf(
    (_request, response) =>
      void response
        .writeHead(200, { "content-type": "application/json", etag: '"1"' })
        .end(JSON.stringify(me)),
    {},
    { ...api, deprecations },
  );
  url.searchParams.set("query", "{ me { id } }");
  const get = (more: Headers = {}) => fetch(url, { headers: { "x-api-key": "key", ...more } });
  const first = await get();
  const unchanged = await get({ "if-none-match": first.headers.get("etag") ?? "" });
  expect(unchanged.status).toBe(304);
  for (const { headers } of [
    first,
    unchanged,
    await post("{ me { id } }"),
    ...(await Promise.all([get(), get()])),
  ])
    expect([headers.get("deprecation"), headers.get("sunset")]).toEqual([
      "@1793491200",
      "Wed, 30 Jun 2027 00:00:00 GMT",
    ]);
  expect((await post("{ agents { id } }")).headers.get("sunset")).toBeNull();
});

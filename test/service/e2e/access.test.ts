/** Who may do what, over REST and over GraphQL: no key, a wrong key, a key that lacks a permission. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keys, type Layer, startLayer } from "./layer.ts";

let layer: Layer;
beforeAll(async () => {
  layer = await startLayer();
});
afterAll(() => layer.close());

test("GET /v1/identity/me answers with the profile, for both credentials", async () => {
  const credentials: Record<string, string>[] = [
    { "x-api-key": keys.owner },
    { authorization: `Bearer ${keys.owner}` },
  ];
  for (const headers of credentials) {
    const answer = await layer.rest("/v1/identity/me", headers);
    expect(answer.status).toBe(200);
    expect(Object.keys((await answer.json()) as object)).toEqual(
      expect.arrayContaining(["id", "email", "tenantId", "roles", "permissions", "features"]),
    );
  }
});

const wrongKey = `${keys.owner.slice(0, -1)}0`;
describe.each([
  ["no key", {}],
  ["a wrong key", { "x-api-key": wrongKey }],
  ["a wrong bearer", { authorization: "Bearer nonsense" }],
])("%s", (_name, headers: Record<string, string>) => {
  test.each([
    [
      "problem over REST",
      () => layer.rest("/v1/identity/me", headers),
      { status: 401, code: "UNAUTHENTICATED" },
    ],
    [
      "GraphQL response over GraphQL",
      () => layer.post('{"query":"{ me { id } }"}', headers),
      { errors: [{ extensions: { code: "UNAUTHENTICATED" } }] },
    ],
  ])("is a 401 with WWW-Authenticate, and a %s", async (_face, call, body) => {
    const answer = await call();
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/Bearer/);
    expect(await answer.json()).toMatchObject(body);
  });
});

describe("a key without the permission", () => {
  test("is a 403 problem over REST", async () => {
    const answer = await layer.rest("/v1/crm/contacts", { "x-api-key": keys.analyst });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ status: 403, code: "FORBIDDEN" });
  });

  test("is FORBIDDEN over GraphQL, on that field and no other", async () => {
    const query = "{ me { id } contacts { id } agents { id } conversations { id } }";
    const { data, errors } = await layer.ask(query, {}, { "x-api-key": keys.analyst });
    expect(errors).toMatchObject([{ path: ["contacts"], extensions: { code: "FORBIDDEN" } }]);
    expect(data.contacts).toBeNull();
    expect(data.me).toEqual({ id: "usr_harbor_noah" });
    expect(data.agents.length).toBeGreaterThan(0);
    expect(data.conversations.length).toBeGreaterThan(0);
  });

  test("sends nothing", async () => {
    const send = `mutation { sendMessage(channel: "sms", to: "+12025550143", body: "no") { id } }`;
    const { data, errors } = await layer.ask(send, {}, { "x-api-key": keys.analyst });
    expect(data).toEqual({ sendMessage: null });
    expect(errors).toMatchObject([{ path: ["sendMessage"], extensions: { code: "FORBIDDEN" } }]);
  });
});

test("the 404 of a wrong path names the path of GraphQL", async () => {
  const { rest } = layer;
  const answer = await rest("/graphql");
  expect([answer.status, await answer.json()]).toEqual([
    404,
    expect.objectContaining({ detail: "no route for GET on this path; GraphQL is at /v1/graphql" }),
  ]);
});

/** What the combination of roles, an upstream that is down and production change for a client. */
import { describe, expect, test } from "vitest";
import { refusingUrl } from "../../engine/gateway/start.ts";
import { keys, openLayer } from "./layer.ts";

const owner = { "x-api-key": keys.owner };

test("one product's upstream down: its fields are null with a coded error, the others answer", async () => {
  const { ask } = await openLayer([], { REST_BASE_URL_CRM: (await refusingUrl()).href });
  const { data, errors } = await ask(
    "{ me { id } contacts { id } agents { id } conversations { id contact { id } } }",
  );
  expect(data.me).toEqual({ id: "usr_harbor_olivia" });
  expect(data.agents.length).toBeGreaterThan(0);
  expect(data.contacts).toBeNull();
  expect(data.conversations).toHaveLength(50);
  expect(data.conversations.every(({ contact }: { contact: unknown }) => contact === null)).toBe(true);
  expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(
    new Set(["UPSTREAM_UNAVAILABLE"]),
  );
  expect(errors?.map(({ path }) => path?.at(-1))).toEqual(expect.arrayContaining(["contacts", "contact"]));
});

test("gateway platform: REST without GraphQL; graphql alone in front of it", async () => {
  const behind = await openLayer(["gateway", "platform"]);
  expect((await behind.rest("/v1/identity/me", owner)).status).toBe(200);
  expect((await behind.post('{"query":"{ me { id } }"}', owner)).status).toBe(404);
  const graphql = await openLayer(["graphql"], { REST_BASE_URL: behind.url.href });
  expect(await graphql.ask("{ me { id } }")).toEqual({ data: { me: { id: "usr_harbor_olivia" } } });
  const { data, errors } = await graphql.ask("{ me { id } }", {}, {});
  expect([data, errors?.[0]?.extensions.code]).toEqual([undefined, "UNAUTHENTICATED"]);
});

describe("NODE_ENV=production", () => {
  const page = { accept: "text/html" };

  test("no explorer, no introspection, no suggestions", async () => {
    const desk = await openLayer(["gateway", "platform"]);
    const roles = { REST_BASE_URL: desk.url.href };
    const open = await openLayer(["graphql"], roles);
    const closed = await openLayer(["graphql"], { ...roles, NODE_ENV: "production" });
    // a bundle leaves out the explorer's package, and tells how to install it
    const status = process.env.BUNDLE ? 501 : 200;
    expect((await open.rest("/v1/graphql", page)).status).toBe(status);
    expect((await open.rest("/v1/graphql", { accept: "TEXT/HTML" })).status).toBe(status);
    if (status === 200)
      expect((await open.rest("/v1/graphql", page)).headers.get("content-type")).toMatch(/html/);
    expect((await closed.rest("/v1/graphql", page)).status).toBe(406);
    const introspect = "{ __schema { queryType { name } } }";
    expect((await open.ask(introspect)).data.__schema).toEqual({ queryType: { name: "Query" } });
    const [refusal] = (await closed.ask(introspect)).errors ?? [];
    expect(refusal?.extensions.code).toBe("GRAPHQL_VALIDATION_FAILED");
    expect(refusal?.message).toMatch(/^GraphQL introspection is turned off/);
    expect((await open.ask("{ conversation }")).errors?.[0]?.message).toMatch(/conversation/);
    expect((await open.ask("{ contactss { id } }")).errors?.[0]?.message).toMatch(/Did you mean/);
    expect((await closed.ask("{ contactss { id } }")).errors?.[0]?.message).not.toMatch(/Did you mean/);
    expect((await closed.ask("{ me { id } }")).data).toEqual({ me: { id: "usr_harbor_olivia" } });
  });

  test("no demo data, and so no demo key", async () => {
    const { rest } = await openLayer([], { NODE_ENV: "production" });
    expect((await rest("/v1/identity/me", owner)).status).toBe(401);
    expect((await rest("/v1/graphql", page)).status).not.toBe(200);
  });
});

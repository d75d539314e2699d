/**
 * Who may call a vendor's API with the server's credential: callers whose keys the gateway has in a file, and those with the
 * permission that the owner requires, because the vendor knows the server alone.
 */
import { hash } from "node:crypto";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { open } from "../../../../src/engine/exports/server.ts";
import { formatApiKey } from "../../../../src/engine/runtime/http/api-key.ts";
import { ask, asTenant, json, layer } from "./vendor-project.ts";

const items = [{ id: "1", name: "one" }];

async function guarded() {
  const project = await layer(
    (request, response) =>
      json(response, request.method === "POST" ? 201 : 200, request.method === "POST" ? items[0] : items, {
        "cache-control": "max-age=60",
      }),
    {
      edit: (text) =>
        text.replace(
          "\npager:\n",
          '\npager:\n  permissions: { GET /services: "pager:read", POST /services: "50%" }\n',
        ),
    },
  );
  const { url } = await project.begin();
  const as = (permissions?: string) =>
    asTenant("acme", permissions === undefined ? {} : { "x-service-permissions": permissions });
  return { ...project, url, as };
}

const query = "{ services { id } }";
const mutation = 'mutation { addService(input: { name: "a" }) { id } }';
const forbidden = (permission: string) => ({
  errors: [{ extensions: { code: "FORBIDDEN", permission } }],
});

test("a caller without it is refused before any cache and any call, and others are served", async () => {
  const { vendors, url, as } = await guarded();
  expect(await ask(url, query, as("other,pager:read"))).toEqual({ data: { services: [{ id: "1" }] } });
  expect(vendors.pager.seen.length).toBe(1);
  const without = [undefined, "", "pager", "pager:rea", "PAGER:READ", "pager:read:all", "*", "pager:*", "a%"];
  for (const permissions of without)
    expect(await ask(url, query, as(permissions))).toMatchObject(forbidden("pager:read"));
  const aliased = await ask(
    url,
    "{ a: services { id } ...F } fragment F on Query { b: services { id } }",
    as(""),
  );
  expect(aliased.data).toEqual({ a: null, b: null });
  const forged = { ...as(), "x-service-key-scopes": "pager:read", X_Service_Permissions: "pager:read" };
  expect(await ask(url, query, forged)).toMatchObject(forbidden("pager:read"));
  expect(vendors.pager.seen.length).toBe(1);
  expect(await ask(url, query, as("pager:read"))).toMatchObject({ data: { services: [{ id: "1" }] } });
});

test("a write is not sent, and a name with special characters is compared as it was granted", async () => {
  const { vendors, url, as } = await guarded();
  expect(await ask(url, mutation, as("pager:read"))).toMatchObject(forbidden("50%"));
  expect(vendors.pager.seen).toEqual([]);
  expect(await ask(url, mutation, as("50%25"))).toMatchObject({ data: { addService: { id: "1" } } });
});

test("operations without one take every known caller, and without the gateway's proof nobody is known", async () => {
  const { vendors, url, as } = await guarded();
  expect(await ask(url, "{ boxes { id } }", as())).toMatchObject({ data: { boxes: [{ id: "1" }] } });
  const { "x-gateway-proof": _, ...unproved } = as("pager:read");
  expect(await ask(url, query, unproved)).toMatchObject({
    errors: [{ extensions: { code: "UNAUTHENTICATED" } }],
  });
  expect(vendors.pager.seen).toEqual([]);
});

test("a file of keys is enough for a gateway: no key introspection, and no REST but the vendor's", async () => {
  const { vendors, project, service, env } = await guarded();
  const [reader, other] = ["a", "b"].map((name) => formatApiKey("test", name.repeat(26))) as [string, string];
  const line = (key: string, more: string): string =>
    `sha256=${hash("sha256", key)} tenant=acme name=desk${more}\n`;
  project.write("keys", line(reader, " scopes=pager:read") + line(other, ""));
  const { GATEWAY_SECRET: _, ...settings } = env;
  const { url, close } = await open(service, { ...settings, KEYS_FILE: join(project.root, "keys") }, [
    "gateway",
    "graphql",
  ]);
  onTestFinished(close);
  const of = (key: string) => ask(url, "{ services { id } issues { id } }", { "x-api-key": key });
  const rows = [{ id: "1" }];
  expect(await of(reader)).toEqual({ data: { services: rows, issues: rows } });
  expect(await of(other)).toMatchObject({
    data: { services: null, issues: rows },
    ...forbidden("pager:read"),
  });
  expect(await of(formatApiKey("test", "c".repeat(26)))).toMatchObject({
    errors: [{ extensions: { code: "UNAUTHENTICATED" } }],
  });
  const path = await fetch(new URL("/v1/services", url), { headers: { "x-api-key": reader } });
  expect(path.status).toBe(404);
  expect(vendors.pager.seen.map(({ headers }) => headers["x-api-key"])).toEqual([undefined]);
});

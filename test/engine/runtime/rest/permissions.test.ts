/** A permission that the owner requires of the callers of an operation, because the vendor knows the server alone. */
import { expect, test } from "vitest";
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

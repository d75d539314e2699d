/** The members of a vendor's errors that clients see, where the server holds the credential (`errors` of `spec/credentials.yaml`). */
import { expect, test } from "vitest";
import { ask, asTenant, json, layer, secrets, spec } from "./vendor-project.ts";

const problem = (members: string) =>
  `{ description: refused, content: { application/problem+json: { schema: { type: object, properties: { ${members} } } } } }`;
const all = problem(
  "title: { type: string }, detail: { type: string }, errors: { type: array, items: { type: object, properties: { detail: { type: string }, pointer: { type: string } } } }",
);
const bank = `openapi: 3.1.0
info: { title: bank, version: "1" }
security: [{ client: [] }]
components: { securitySchemes: { client: { type: apiKey, in: header, name: X-Bank-Client } } }
paths:
  /orders:
    get:
      operationId: listOrders
      parameters: [{ name: q, in: query, schema: { type: string } }]
      responses:
        "200": { description: ok, content: { application/json: { schema: { type: array, items: { type: string } } } } }
${["400", "403", "409", "410", "422"].map((status) => `        "${status}": ${all}\n`).join("")}`;

const schema = (spec["schema.graphql"] ?? "").replace(
  "type Query {",
  'type Query {\n  orders(q: String): [String!] @rest(operation: "listOrders")',
);

/** The errors of a call that the vendor refuses with `status` and `body`. */
async function refusals(errors: string, refused: readonly (readonly [status: number, body: object])[]) {
  let at = 0;
  const { begin } = await layer(
    (_request, response) => {
      const [status, body] = refused[at++] ?? [500, {}];
      json(response, status, body, { "content-type": "application/problem+json" });
    },
    {
      files: { "openapi/bank.yaml": bank, "schema.graphql": schema },
      credentials: ({ bank: origin }) => `
bank:
  origin: ${origin}
  schemes: { client: { file: bank-client } }
  everyTenantMay: { GET /orders: orders are public }
${errors}`,
    },
  );
  const { url } = await begin();
  const found = [];
  for (const _ of refused) {
    const { errors: [error] = [] } = await ask(url, '{ orders(q: "x") }', asTenant("acme"));
    found.push(error);
  }
  return found;
}

const body = {
  title: "the title",
  detail: "the detail",
  errors: [{ detail: "must be short", pointer: "/q" }],
};

test("only members that the owner lists travel, of 400, 409 and 422", async () => {
  const statuses = [400, 409, 422, 403, 410];
  const found = await refusals(
    "  errors: [detail]\n",
    statuses.map((status) => [status, body] as const),
  );
  const texts = found.map((error) => JSON.stringify(error));
  expect(texts.map((text) => text.includes("the detail"))).toEqual([true, true, true, false, false]);
  for (const text of texts) expect(text).not.toMatch(/the title|must be short/);
  const [items] = await refusals("  errors: [errors.detail]\n", [[422, body]]);
  expect(JSON.stringify(items)).toContain("must be short");
  expect(JSON.stringify(items)).not.toMatch(/the title|the detail/);
});

test("nothing travels without a list", async () => {
  const found = await refusals("", [[422, body]]);
  expect(JSON.stringify(found)).not.toMatch(/the title|the detail|must be short/);
});

test("a text that repeats the credential does not travel, in any spelling", async () => {
  const secret = secrets["bank-client"];
  const spellings = [
    secret,
    secret.toUpperCase(),
    encodeURIComponent(secret),
    secret.replaceAll(/[^a-z0-9]/gi, "_"),
    [...secret].join(" "),
  ];
  const found = await refusals(
    "  errors: [title, detail]\n",
    spellings.map((text) => [422, { title: "the title", detail: `not valid: ${text}` }] as const),
  );
  for (const error of found) expect(JSON.stringify(error)).not.toMatch(/the title|not valid|client:|4nary/i);
});

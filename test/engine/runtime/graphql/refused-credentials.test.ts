/** The graphql role alone refuses a wrong key with the same response as a gateway. */
import { expect, test } from "vitest";
import { unauthenticated } from "../../../../src/engine/runtime/http/credentials.ts";
import { startGateway } from "../../gateway/start.ts";
import { inFrontOf, me, send } from "./rest-stand-in.ts";

const two = "{ me { id } agents { id } }";

test.each([
  ["a wrong key", { "x-api-key": "sk_test_wrong" }],
  ["no key", {}],
])("%s: one 401, equal to the gateway's", async (_name, credentials) => {
  const { post } = await inFrontOf((_request, response) => send(response, {}, 401));
  const { url } = await startGateway();
  const headers = { "content-type": "application/json", "x-request-id": "request-1234", ...credentials };
  const alone = await post(two, { headers });
  const behind = await fetch(new URL("/v1/graphql", url), {
    method: "POST",
    headers,
    body: JSON.stringify({ query: two }),
  });
  expect([alone.status, await alone.json()]).toEqual([401, await behind.json()]);
  for (const name of ["www-authenticate", "content-type", "cache-control"])
    expect(alone.headers.get(name), name).toBe(behind.headers.get(name));
});

test.each([
  ["no_key", "credentials are needed, in the header authorization"],
  ["refused_key", "the credentials are not valid"],
] as const)("%s where only Authorization is declared: no API key is named", (fault, message) => {
  expect(unauthenticated(fault, ["authorization"]).message).toBe(message);
});

test("if one product refuses a key, the others still return data", async () => {
  const { post } = await inFrontOf(
    ({ url }, response) => (url?.endsWith("/me") ? send(response, me) : send(response, {}, 401)),
    {},
  );
  const answer = await post(two);
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { data: { me: { id: "1" }, agents: null }, errors: [{ extensions: { code: "UNAUTHENTICATED" } }] },
  ]);
});

test("another failure keeps its own code", async () => {
  const { post } = await inFrontOf(
    ({ url }, response) => send(response, {}, url?.endsWith("/me") ? 403 : 401),
    {},
  );
  const answer = await post(two);
  const { errors } = (await answer.json()) as { errors: { extensions: { code: string } }[] };
  expect([answer.status, errors.map(({ extensions }) => extensions.code).sort()]).toEqual([
    200,
    ["FORBIDDEN", "UNAUTHENTICATED"],
  ]);
});

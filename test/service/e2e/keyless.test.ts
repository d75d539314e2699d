/** The schema without a key, through all roles: tools read it, and no request without a key reaches REST. */

import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { describe, expect, onTestFinished, test } from "vitest";
import { api } from "../../../generated/index.ts";
import { recorder } from "../../engine/gateway/fakes.ts";
import { type Layer, openLayer } from "./layer.ts";

/** Gateway and GraphQL as processes of their own, without a secret, in front of a REST platform that lets everybody in. */
async function openApart(): Promise<Layer> {
  const platform = await recorder();
  onTestFinished(platform.close);
  const rest = { REST_BASE_URL: platform.url.href };
  const graphql = await openLayer(["graphql"], rest);
  const gateway = await openLayer(["gateway"], {
    ...rest,
    GRAPHQL_URL: graphql.url.href,
    KEY_INTROSPECTION_URL: new URL("/introspect", platform.url).href,
  });
  // without the gateway, the same request reaches REST
  await graphql.ask("{ me { id } }", {}, {});
  expect(platform.seen.splice(0)).toHaveLength(1);
  return { ...gateway, calls: platform.seen as never };
}

describe.each([
  ["all roles in one", () => openLayer()],
  ["each role apart", openApart],
])("%s", (_name, open) => {
  test("tools read the schema, by POST and by GET", async () => {
    const { ask, rest, calls } = await open();
    const query = getIntrospectionQuery();
    const { data, errors } = await ask(query, {}, {});
    expect(errors).toBeUndefined();
    expect(buildClientSchema(data as IntrospectionQuery).getQueryType()?.name).toBe("Query");
    const byGet = await rest(`/v1/graphql?${new URLSearchParams({ query })}`);
    expect(await byGet.json()).toEqual({ data });
    expect(calls).toEqual([]);
  });

  test("no other operation runs without a key, and none reaches REST", async () => {
    const { post, rest, calls } = await open();
    const saved = api.savedOperations.flatMap(({ id, body }) => [
      { query: body },
      { query: body.replace("{", "{ __typename ") },
      { documentId: id },
      { extensions: { persistedQuery: { version: 1, sha256Hash: id } } },
      [{ query: "{ __typename }" }, { query: body }],
      { query: `query S { __typename } ${body}`, operationName: "S" },
    ]);
    for (const body of saved) {
      const answer = await post(JSON.stringify(body));
      expect({ body, status: answer.status, said: await answer.json() }).toMatchObject({
        status: 401,
        said: { errors: [{ extensions: { code: "UNAUTHENTICATED" } }] },
      });
    }
    for (const { id, body } of api.savedOperations)
      for (const search of [`query=${encodeURIComponent(body)}`, `documentId=${id}`])
        expect((await rest(`/v1/graphql?${search}`)).status).toBe(401);
    expect(saved.length).toBeGreaterThan(10);
    expect(calls).toEqual([]);
  });

  test("what belongs to a data operation is no way in: an id beside a question, a spoofed tenant", async () => {
    const { post, calls } = await open();
    const [first] = api.savedOperations;
    const body = { query: "{ __typename }", documentId: first?.id, operationName: null, extensions: {} };
    const answer = await post(JSON.stringify(body), {
      "x-service-tenant-id": "ten_harbor",
      "x-explain-calls": "1",
    });
    expect([answer.status, await answer.json()]).toEqual([200, { data: { __typename: "Query" } }]);
    expect(calls).toEqual([]);
  });
});

test("in production a question for the schema is refused without a key", async () => {
  const { ask } = await openLayer([], { NODE_ENV: "production" });
  const { data, errors } = await ask(getIntrospectionQuery(), {}, {});
  expect([data, errors]).toMatchObject([undefined, [{ extensions: { code: "UNAUTHENTICATED" } }]]);
});

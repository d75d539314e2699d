/** `X-Explain-Calls: 1` adds the REST calls to the response, except in production. */
import { describe, expect, test } from "vitest";
import { keys, openLayer } from "./layer.ts";

const query = "{ me { id } a: agents { id } b: agents { name } conversations { contact { name } } }";
const asking = { "x-api-key": keys.owner, "x-explain-calls": "1" };

type Explained = { extensions?: { calls?: Record<string, unknown>[] } };
const explained = async (answer: Response): Promise<Explained> => (await answer.json()) as Explained;

describe("the REST calls of a request", () => {
  test("have status, time and number of keys; identical reads are one call", async () => {
    const { post, calls } = await openLayer();
    const { extensions } = await explained(await post(JSON.stringify({ query }), asking));
    const told = extensions?.calls ?? [];
    expect(told).toHaveLength(calls.length);
    expect(told.map(({ operation }) => operation).sort()).toEqual([
      "getMe",
      "listAgents",
      "listContacts",
      "listConversations",
    ]);
    expect(told.find(({ operation }) => operation === "listContacts")).toEqual({
      operation: "listContacts",
      method: "GET",
      path: "/v1/crm/contacts",
      status: 200,
      startMs: expect.any(Number),
      ms: expect.any(Number),
      keys: expect.any(Number),
    });
  });

  test("have no status if the product is down", async () => {
    const { post } = await openLayer([], { REST_BASE_URL_AI: "http://127.0.0.1:9" });
    const { extensions } = await explained(
      await post(JSON.stringify({ query: "{ agents { id } }" }), asking),
    );
    expect(extensions?.calls?.map(({ operation, status }) => [operation, status])).toContainEqual([
      "listAgents",
      undefined,
    ]);
  });

  test.each([
    ["a client that does not ask", {}, { "x-explain-calls": "0" }],
    ["a client in production", { NODE_ENV: "production" }, {}],
  ])("are not sent to %s", async (_who, env, headers) => {
    const { post } = await openLayer(["graphql"], { ...env, REST_BASE_URL: "http://127.0.0.1:9" });
    const answer = await post(JSON.stringify({ query: "{ agents { id } }" }), { ...asking, ...headers });
    expect(await explained(answer)).not.toHaveProperty("extensions");
  });
});

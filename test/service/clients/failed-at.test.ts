/** `failedAt` and `ErrorCode` of the typed package, over answers of the whole layer with one product down. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { Client, fetchExchange } from "@urql/core";
import { GraphQLClient } from "graphql-request";
import { createClient, definePlugin, fetch } from "villus";
import { expect, test } from "vitest";
import { keys, openLayer } from "../e2e/layer.ts";
import { makeConsumer, packageName } from "./consumer.ts";

const query = `query Start {
  conversations { id contact { name } assignee { name } messages(last: 2) { id author { ... on AgentAuthor { agent { name } } } } }
  agents { id }
  contact(id: "nobody") { id }
}`;

test("the null of a failed call has its error, and a value that is really null has none", async () => {
  const consumer = await makeConsumer();
  const { ErrorCode, failedAt } = await import(
    join(consumer.folder, "node_modules", packageName, "index.js")
  );
  const { ask } = await openLayer([], { REST_BASE_URL_AI: "http://127.0.0.1:1" });
  const answer = await ask(query);
  expect(failedAt(await ask('{ contact(id: "nobody") { id } }'), ["contact"])).toBeUndefined(); // no errors at all
  const { conversations } = answer.data;
  expect(failedAt(answer, ["agents"]).extensions.code).toBe(ErrorCode.UPSTREAM_UNAVAILABLE);
  expect(failedAt(answer, ["contact"])).toBeUndefined();
  expect([answer.data.agents, answer.data.contact]).toEqual([null, null]);
  const error =
    failedAt(answer, ["conversations", 0, "assignee"]) ?? failedAt(answer, ["conversations", 1, "assignee"]);
  const { places, indexes } = error.extensions;
  expect([places > 1, typeof indexes[0]]).toEqual([true, "string"]);
  const failed = conversations.filter((_: unknown, at: number) =>
    failedAt(answer, ["conversations", at, "assignee"]),
  );
  expect(failed).toHaveLength(places);
  expect(failed.length).toBeLessThan(conversations.length); // others have no assignee, which is no failure
  for (const at of conversations.keys())
    expect(failedAt(answer.errors, ["conversations", at, "contact"])).toBeUndefined();
});

test("takes the error objects and results of stock clients, of one field and of a whole request", async () => {
  const consumer = await makeConsumer();
  const { failedAt } = await import(join(consumer.folder, "node_modules", packageName, "index.js"));
  const { url } = await openLayer([], { RATE_LIMIT_PER_KEY: "4" });
  const uri = new URL("/v1/graphql", url).href;
  const document = gql("query Start { me { email } contacts { name } }");
  const headers = { "X-API-Key": keys.analyst };
  const apollo = new ApolloClient({ link: new HttpLink({ uri, headers }), cache: new InMemoryCache() });
  const urql = new Client({ url: uri, fetchOptions: { headers }, exchanges: [fetchExchange] });
  const request = new GraphQLClient(uri, { headers });
  const withKey = definePlugin(({ opContext }) => void Object.assign(opContext.headers, headers));
  const villus = createClient({ url: uri, use: [withKey, fetch()] });
  const thrown = (call: Promise<unknown>) =>
    call.then(
      () => expect.unreachable(),
      (error: unknown) => error,
    );
  const asked = [
    async () => thrown(apollo.query({ query: document, fetchPolicy: "no-cache" })),
    async () => apollo.query({ query: document, fetchPolicy: "no-cache", errorPolicy: "all" }),
    async () => urql.query(document, {}),
    async () => (await villus.executeQuery({ query: document })).error,
    async () => (await urql.query(document, {})).error,
    async () => thrown(request.request(document)),
    async () => ({ data: undefined, error: await thrown(request.request(document)) }), // TanStack Query's result
    async () => villus.executeQuery({ query: document }),
  ];
  const replies: unknown[] = [];
  for (const ask of asked) replies.push(await ask());
  const codes = replies.map((reply) => failedAt(reply, ["contacts"])?.extensions.code);
  expect(codes).toEqual([...Array(4).fill("FORBIDDEN"), ...Array(4).fill("RATE_LIMITED")]);
  for (const reply of replies.slice(0, 4)) expect(failedAt(reply, ["me"])).toBeUndefined();
  for (const reply of replies.slice(4))
    expect(failedAt(reply, ["me"]).extensions.retryAfter).toBeGreaterThan(0);
  for (const none of [undefined, null, new TypeError("fetch failed"), { data: {} }, "text"])
    expect(failedAt(none, ["me"])).toBeUndefined();
});

test("an error reads as a type, and its codes are closed", async () => {
  const consumer = await makeConsumer();
  consumer.write(
    "use.ts",
    `import { type ApiError, ErrorCode, failedAt } from "${packageName}";
const error: ApiError | undefined = failedAt({ errors: [] }, ["me", 0]);
export const retry: number | undefined = error?.extensions.code === ErrorCode.RATE_LIMITED ? error.extensions.retryAfter : 0;
// @ts-expect-error there is no such code
export const never = error?.extensions.code === "NO_SUCH_CODE";`,
  );
  expect(await consumer.typeErrors()).toBe("");
  const types = readFileSync(join(consumer.folder, "node_modules", packageName, "errors.d.ts"), "utf8");
  expect(types).toContain("/** The caller lacks the permission that this REST operation needs. */");
});

test("a message that contradicts its key names the argument, in a sentence", async () => {
  const { ask } = await openLayer();
  const send = (to: string, body: string, key = "one") =>
    ask(
      'mutation Send($to: String!, $body: String!, $key: String) { sendMessage(channel: "sms", to: $to, body: $body, idempotencyKey: $key) { id } }',
      { to, body, key },
      { "x-api-key": keys.owner },
    );
  expect((await send("+12025550143", "Hello")).errors).toBeUndefined();
  expect((await send("+12025550143", "Other")).errors).toMatchObject([
    {
      message: "idempotencyKey: this Idempotency-Key was used with another request",
      extensions: { code: "CONFLICT", argument: "idempotencyKey" },
    },
  ]);
  expect((await send("nobody", "Hello")).errors).toMatchObject([
    {
      message: "to: must be a number such as +12025550143 for sms",
    },
  ]);
  expect((await send("+12025550143", "half \ud83d", "two")).errors).toMatchObject([
    { extensions: { code: "BAD_USER_INPUT", argument: "body" } },
  ]);
});

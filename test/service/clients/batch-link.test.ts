/** Apollo Client's BatchHttpLink, which sends a list also of one operation: its developer learns what to use instead. */
import { ApolloClient, gql, InMemoryCache } from "@apollo/client/core";
import { BatchHttpLink } from "@apollo/client/link/batch-http";
import { expect, test } from "vitest";
import { inFrontOf, me, send } from "../../engine/runtime/graphql/rest-stand-in.ts";

const queries = [gql`{ me { id } }`, gql`{ me { email } }`];

/** What the client gives for each query, or its error, and the body that it was answered with. */
async function ask(count: number, environment: NodeJS.ProcessEnv) {
  const { url } = await inFrontOf((_request, response) => send(response, me), environment);
  let body = "";
  const link = new BatchHttpLink({
    uri: url.href,
    fetch: async (...call) => {
      const response = await fetch(...call);
      body = await response.clone().text();
      return response;
    },
  });
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  const asked = queries.slice(0, count).map((query) => client.query({ query }));
  const given = await Promise.all(
    asked.map((answer) => answer.then(({ data }) => data).catch((error: Error) => error.message)),
  );
  return { given, body };
}

const refusal = /batches are not supported: send one operation a request.*HttpLink in place of BatchHttpLink/;

test("a batch of one is refused in words that the client shows", async () => {
  expect((await ask(1, {})).given).toEqual([expect.stringMatching(refusal)]);
});

test("a batch of two is refused in the same words", async () => {
  const { given, body } = await ask(2, {});
  expect(given).toEqual([expect.any(String), expect.any(String)]); // the client tells that it wants two answers
  expect(body).toMatch(refusal);
});

test("with MAX_OPERATIONS=2 both are answered", async () => {
  const { given } = await ask(2, { MAX_OPERATIONS: "2" });
  expect(given).toMatchObject([{ me: { id: "1" } }, { me: { email: me.email } }]);
});

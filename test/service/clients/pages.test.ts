/** Page after page with Apollo Client's own merging of connections, `relayStylePagination()`. */
import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { expect, onTestFinished, test } from "vitest";
import { keys, openLayer } from "../e2e/layer.ts";

const query = gql`query Contacts($stage: ContactStage, $first: Int, $after: String) {
  contactsConnection(stage: $stage, first: $first, after: $after) {
    edges { cursor node { id name } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}`;

type Contacts = {
  contactsConnection: {
    edges: { cursor: string; node: { id: string } }[];
    pageInfo: { hasNextPage: boolean; endCursor: string };
    totalCount: number;
  };
};

async function openClient() {
  const { url } = await openLayer();
  const typePolicies = { Query: { fields: { contactsConnection: relayStylePagination(["stage"]) } } };
  const link = new HttpLink({ uri: new URL("/v1/graphql", url).href, headers: { "X-API-Key": keys.owner } });
  const client = new ApolloClient({ link, cache: new InMemoryCache({ typePolicies }) });
  const variables = { stage: "CUSTOMER", first: 20 };
  const contacts = client.watchQuery<Contacts>({ query, variables });
  const subscription = contacts.subscribe(() => undefined);
  onTestFinished(() => subscription.unsubscribe());
  await client.query({ query, variables });
  const current = () => (client.readQuery({ query, variables }) as Contacts).contactsConnection;
  const fetchMore = (after: string) => contacts.fetchMore({ variables: { after } });
  return { current, fetchMore };
}

test("fetchMore behind endCursor grows the list to the end, without a gap or a repetition", async () => {
  const { current, fetchMore } = await openClient();
  while (current().pageInfo.hasNextPage) await fetchMore(current().pageInfo.endCursor);
  const { edges, totalCount } = current();
  expect(totalCount).toBeGreaterThan(40);
  expect(new Set(edges.map(({ node }) => node.id)).size).toBe(totalCount);
  expect(edges).toHaveLength(totalCount);
});

test("fetchMore behind an edge inside the list replaces what follows it", async () => {
  const { current, fetchMore } = await openClient();
  const before = current().edges.map(({ node }) => node.id);
  await fetchMore(current().edges[4]?.cursor ?? "");
  const after = current().edges.map(({ node }) => node.id);
  expect(after).toHaveLength(25);
  expect(after.slice(0, 20)).toEqual(before);
});

/** Apollo Client 4 merges the pages of a connection. The argument of `relayStylePagination` names the filters. */
import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { FindCustomersDocument, possibleTypes } from "messaging-graphql-client";

const typePolicies = {
  Query: { fields: { contactsConnection: relayStylePagination(["q", "stage", "sort"]) } },
};

const headers = { "X-API-Key": "sk_test_DemoHarborOlivia00000000004LRXgc" };
const link = new HttpLink({ uri: "http://127.0.0.1:4000/v1/graphql", headers });
const client = new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes, typePolicies }) });

const customers = client.watchQuery({ query: FindCustomersDocument, variables: { stage: "CUSTOMER" } });
customers.subscribe(({ data, dataState, loading }) => {
  if (loading || dataState !== "complete" || !data.contactsConnection) return;
  const { edges, pageInfo } = data.contactsConnection;
  console.log(edges.length);
  if (edges.length === 25) customers.fetchMore({ variables: { after: pageInfo.endCursor } });
});

/* prints
25
50
*/

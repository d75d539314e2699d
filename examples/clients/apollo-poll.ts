/** Apollo Client 4 polls a list of several pages: a second query with the same filters writes to the same list of the cache. */
import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { FindCustomersDocument, possibleTypes } from "messaging-graphql-client";

const typePolicies = {
  Query: { fields: { contactsConnection: relayStylePagination(["q", "stage", "sort"]) } },
};
const headers = { "X-API-Key": "sk_test_DemoHarborOlivia00000000004LRXgc" };
const link = new HttpLink({ uri: "http://127.0.0.1:4000/v1/graphql", headers });
const client = new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes, typePolicies }) });

const list = { query: FindCustomersDocument, variables: { stage: "CUSTOMER" } } as const;
const customers = client.watchQuery(list);
customers.subscribe(() => {}); // a component that shows the list
const shown = () => client.readQuery(list)?.contactsConnection?.edges.length ?? 0;

// Requests run one after another: the response to a poll that began before the next page arrived would replace all rows by the
// first ones.
let last: Promise<unknown> = Promise.resolve();
const enqueue = (ask: () => Promise<unknown>) => {
  last = last.then(ask, ask);
  return last;
};
const poll = () =>
  enqueue(() => {
    const first = Math.min(Math.max(shown(), 25), 100);
    return client.query({ ...list, variables: { ...list.variables, first }, fetchPolicy: "network-only" });
  });
const more = () =>
  enqueue(() => {
    const after = client.readQuery(list)?.contactsConnection?.pageInfo.endCursor;
    return customers.fetchMore({ variables: { after } });
  });

await client.query(list);
await Promise.all([more(), poll()]); // "More" is clicked, and the next poll comes before its page
console.log(shown());
await poll(); // every few seconds: setInterval(() => poll().catch(() => {}), 5_000)
console.log(shown());

/* prints
50
50
*/

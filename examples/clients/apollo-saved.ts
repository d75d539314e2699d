/** Apollo Client 4 sends a saved operation by its id, with GET. */
import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { FindCustomersDocument, possibleTypes } from "messaging-graphql-client";

const sha256 = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
};
const headers = { "X-API-Key": "sk_test_DemoHarborOlivia00000000004LRXgc" };
const http = new HttpLink({ uri: "http://127.0.0.1:4000/v1/graphql", headers });
const link = new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(http);
const client = new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes }) });
const { data } = await client.query({ query: FindCustomersDocument, variables: { q: "hannah mo" } });
console.log(data?.contactsConnection?.edges[0]?.node.name);

/* prints
Hannah Moreau
*/

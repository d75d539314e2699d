/** urql sends the ids that the client preset has written into the documents. */
import { Client, cacheExchange, fetchExchange } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";
import { WhoAmIDocument } from "./gql/graphql.ts";

const persisted = persistedExchange({
  enforcePersistedQueries: true,
  enableForMutation: true,
  generateHash: async (_text, document) =>
    (document as unknown as { __meta__: { hash: string } }).__meta__.hash,
});
const client = new Client({
  url: "http://127.0.0.1:4000/v1/graphql",
  fetchOptions: {
    headers: { "X-API-Key": "sk_test_DemoHarborOlivia00000000004LRXgc", "graphql-client-name": "web" },
  },
  exchanges: [cacheExchange, persisted, fetchExchange],
});
const { data, error } = await client.query(WhoAmIDocument, {});
console.log(data?.me?.email, error?.message);

/* prints
olivia@harbor.example undefined
*/

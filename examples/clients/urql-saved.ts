/** urql sends a saved operation by its id, with GET: `@urql/exchange-persisted` computes the id. */
import { Client, cacheExchange, fetchExchange } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";
import { FindCustomersDocument } from "messaging-graphql-client";

const url = "http://127.0.0.1:4000/v1/graphql";
const fetchOptions = { headers: { "X-API-Key": "sk_test_DemoHarborOlivia00000000004LRXgc" } };
const persisted = persistedExchange({ preferGetForPersistedQueries: true });
const client = new Client({ url, fetchOptions, exchanges: [cacheExchange, persisted, fetchExchange] });
const { data } = await client.query(FindCustomersDocument, { q: "hannah mo" });
console.log(data?.contactsConnection?.edges[0]?.node.name);

/* prints
Hannah Moreau
*/

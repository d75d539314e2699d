/** urql (`@urql/core` 6): a query, and an error beside the rest of the response. */
import { Client, cacheExchange, fetchExchange } from "@urql/core";
import { FindCustomersDocument, failedAt } from "messaging-graphql-client";

const url = "http://127.0.0.1:4000/v1/graphql";
const clientOf = (key: string) =>
  new Client({
    url,
    fetchOptions: { headers: { "X-API-Key": key } },
    exchanges: [cacheExchange, fetchExchange],
  });

const client = clientOf("sk_test_DemoHarborOlivia00000000004LRXgc");
const { data: found } = await client.query(FindCustomersDocument, { q: "hannah m" });
console.log(found?.contactsConnection?.edges.map(({ node }) => node.name));

const analyst = clientOf("sk_test_DemoHarborNoah00000000000010Rt4d"); // this key may not read contacts
const { data, error } = await analyst.query("query Start { me { email } contacts { name } }", {});
console.log(failedAt(error, ["contacts"])?.extensions.code);
console.log(data.me.email, data.contacts);

/* prints
[ 'Hannah Mensah', 'Hannah Moreau' ]
FORBIDDEN
noah@harbor.example null
*/

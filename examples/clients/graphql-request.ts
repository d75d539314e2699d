/** graphql-request 7: a query, an error beside the rest of the response, and a list page after page. */
import { ClientError, GraphQLClient, gql } from "graphql-request";
import { ContactStage, FindCustomersDocument, failedAt } from "messaging-graphql-client";

const url = "http://127.0.0.1:4000/v1/graphql";
const clientOf = (key: string) => new GraphQLClient(url, { headers: { "X-API-Key": key } });

const client = clientOf("sk_test_DemoHarborOlivia00000000004LRXgc");
const data = await client.request(FindCustomersDocument, { q: "hannah m" });
console.log(data.contactsConnection?.edges.map(({ node }) => node.name));

const analyst = clientOf("sk_test_DemoHarborNoah00000000000010Rt4d"); // this key may not read contacts
try {
  await analyst.request(gql`query Start { me { email } contacts { name } }`);
} catch (error) {
  if (!(error instanceof ClientError)) throw error;
  console.log(failedAt(error, ["contacts"])?.extensions.code);
  console.log(error.response.data);
}

const ids = new Set<string>();
let after: string | null | undefined;
do {
  const page = await client.request(FindCustomersDocument, { stage: ContactStage.NEW_LEAD, after });
  for (const { node } of page.contactsConnection?.edges ?? []) ids.add(node.id);
  const { hasNextPage, endCursor } = page.contactsConnection?.pageInfo ?? {};
  after = hasNextPage ? endCursor : null;
} while (after);
console.log(ids.size > 25);

/* prints
[ 'Hannah Mensah', 'Hannah Moreau' ]
FORBIDDEN
{ me: { email: 'noah@harbor.example' }, contacts: null }
true
*/

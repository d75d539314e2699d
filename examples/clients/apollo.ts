/** Apollo Client 4: it rejects with the errors, beside the rest of the response. This key may not read contacts. */
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { failedAt } from "messaging-graphql-client";

const headers = { "X-API-Key": "sk_test_DemoHarborNoah00000000000010Rt4d" };
const link = new HttpLink({ uri: "http://127.0.0.1:4000/v1/graphql", headers });
const client = new ApolloClient({ link, cache: new InMemoryCache() });
try {
  await client.query({ query: gql`query Start { me { email } contacts { name } }` });
} catch (error) {
  if (!CombinedGraphQLErrors.is(error)) throw error;
  console.log(failedAt(error, ["contacts"])?.extensions.code);
  console.log(error.data);
}

/* prints
FORBIDDEN
{
  me: { email: 'noah@harbor.example', __typename: 'IdentityProfile' },
  contacts: null
}
*/

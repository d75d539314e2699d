/** Apollo Client infers variables and result from the package's documents. */
import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { AnswerDocument, ContactStage, CustomerDocument, FindCustomersDocument } from "messaging-graphql-client";

const client = new ApolloClient({ link: new HttpLink({ uri: "/v1/graphql" }), cache: new InMemoryCache() });

const { data } = await client.query({ query: CustomerDocument, variables: { id: "con_1" } });
export const email: string | null | undefined = data?.contact?.email;
// @ts-expect-error the result has no such field
data?.contact?.password;
// @ts-expect-error the e-mail address may be null
export const always: string | undefined = data?.contact?.email;

// @ts-expect-error a required variable is missing
await client.query({ query: CustomerDocument, variables: {} });
// @ts-expect-error all variables are missing
await client.query({ query: CustomerDocument });
// @ts-expect-error a variable has the wrong type
await client.query({ query: CustomerDocument, variables: { id: true } });

await client.query({ query: FindCustomersDocument, variables: { stage: ContactStage.CUSTOMER } });
// @ts-expect-error the enum has no such value
await client.query({ query: FindCustomersDocument, variables: { stage: "customer" } });
// @ts-expect-error three required variables are missing
await client.mutate({ mutation: AnswerDocument, variables: { channel: "sms" } });

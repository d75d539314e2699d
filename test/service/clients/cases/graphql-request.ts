/** graphql-request infers variables and result from the package's documents. */
import { GraphQLClient } from "graphql-request";
import { AnswerDocument, ContactStage, CustomerDocument, FindCustomersDocument } from "messaging-graphql-client";

const client = new GraphQLClient("/v1/graphql");

const data = await client.request(CustomerDocument, { id: "con_1" });
export const email: string | null | undefined = data.contact?.email;
// @ts-expect-error the result has no such field
data.contact?.password;
// @ts-expect-error the e-mail address may be null
export const always: string | undefined = data.contact?.email;

// @ts-expect-error a required variable is missing
await client.request(CustomerDocument, {});
// @ts-expect-error all variables are missing
await client.request(CustomerDocument);
// @ts-expect-error a variable has the wrong type
await client.request(CustomerDocument, { id: true });

await client.request(FindCustomersDocument, { stage: ContactStage.CUSTOMER });
// @ts-expect-error the enum has no such value
await client.request(FindCustomersDocument, { stage: "customer" });
// @ts-expect-error three required variables are missing
await client.request(AnswerDocument, { channel: "sms" });

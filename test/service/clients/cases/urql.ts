/** urql infers variables and result from the package's documents. */
import { Client, cacheExchange, fetchExchange } from "@urql/core";
import { AnswerDocument, ContactStage, CustomerDocument, FindCustomersDocument } from "messaging-graphql-client";

const client = new Client({ url: "/v1/graphql", exchanges: [cacheExchange, fetchExchange] });

const { data } = await client.query(CustomerDocument, { id: "con_1" });
export const email: string | null | undefined = data?.contact?.email;
// @ts-expect-error the result has no such field
data?.contact?.password;
// @ts-expect-error the e-mail address may be null
export const always: string | undefined = data?.contact?.email;

// @ts-expect-error a required variable is missing
await client.query(CustomerDocument, {});
// @ts-expect-error all variables are missing
await client.query(CustomerDocument);
// @ts-expect-error a variable has the wrong type
await client.query(CustomerDocument, { id: true });

await client.query(FindCustomersDocument, { stage: ContactStage.CUSTOMER });
// @ts-expect-error the enum has no such value
await client.query(FindCustomersDocument, { stage: "customer" });
// @ts-expect-error three required variables are missing
await client.mutation(AnswerDocument, { channel: "sms" });

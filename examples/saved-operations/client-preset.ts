/** The client preset's id of a document, sent by `fetch`. */
import { WhoAmIDocument } from "./gql/graphql.ts";

const headers = {
  "Content-Type": "application/json",
  "X-API-Key": "sk_test_DemoHarborOlivia00000000004LRXgc",
  "graphql-client-name": "web",
  "graphql-client-version": "1.4.0",
};
const { hash } = (WhoAmIDocument as unknown as { __meta__: { hash: string } }).__meta__;
const body = JSON.stringify({ documentId: hash, variables: {} });
const response = await fetch("http://127.0.0.1:4000/v1/graphql", { method: "POST", headers, body });
const { data } = (await response.json()) as { data: { me: { email: string } } };
console.log(data.me.email);

/* prints
olivia@harbor.example
*/

/** `fetch` alone: the error behind a null, and a saved operation by its id, which GraphQL over HTTP calls `documentId`. */
import { ErrorCode, failedAt, persistedIds } from "messaging-graphql-client";

async function ask(key: string, request: object) {
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  const body = JSON.stringify(request);
  const response = await fetch("http://127.0.0.1:4000/v1/graphql", { method: "POST", headers, body });
  return (await response.json()) as { data?: unknown; errors?: unknown[] };
}

const analyst = "sk_test_DemoHarborNoah00000000000010Rt4d"; // this key may not read contacts
const result = await ask(analyst, { query: "query Start { me { email } contacts { name } }" });
console.log(
  failedAt(result, ["contacts"])?.extensions.code === ErrorCode.FORBIDDEN,
  failedAt(result, ["me"]),
);

const owner = "sk_test_DemoHarborOlivia00000000004LRXgc";
const { data } = await ask(owner, {
  documentId: persistedIds.FindCustomers,
  variables: { q: "hannah mo", first: 1 },
});
console.log(JSON.stringify(data).includes("Hannah Moreau"));

/* prints
true undefined
true
*/

/** gql.tada's id beside the text, and a function that sends it, for TanStack Query: `queryFn: () => ask(whoAmI, {})`. */
import { type DocumentDecoration, initGraphQLTada } from "gql.tada";
import type { introspection } from "./graphql-env.d.ts";

const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; Date: string };
}>();
const text = graphql(`query WhoAmI { me { email } }`);
const whoAmI = graphql.persisted(
  "sha256:f4f9c06e465cbafa8a2f88c547e5d7e3618bba350927b6009fc5a589f1bec443",
  text,
);

type Persisted<Data, Variables> = DocumentDecoration<Data, Variables> & { documentId: string };
async function ask<Data, Variables>({ documentId }: Persisted<Data, Variables>, variables: Variables) {
  const response = await fetch("http://127.0.0.1:4000/v1/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": "sk_test_DemoHarborOlivia00000000004LRXgc" },
    body: JSON.stringify({ documentId, variables }),
  });
  const result = (await response.json()) as { data?: Data; errors?: unknown[] };
  if (!result.data) throw new Error("refused as a whole", { cause: result.errors });
  return { ...result, data: result.data };
}
const { data } = await ask(whoAmI, {});
console.log(data.me?.email);

/* prints
olivia@harbor.example
*/

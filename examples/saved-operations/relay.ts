/** A fetch function for Relay's network layer, which sends the id that the compiler has written into the artefact. */
import request from "./__generated__/WhoAmIQuery.graphql.ts";

const fetchOrSubscribe = async (params: { id: string | null }, variables: object) => {
  const response = await fetch("http://127.0.0.1:4000/v1/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": "sk_test_DemoHarborOlivia00000000004LRXgc" },
    body: JSON.stringify({ documentId: params.id, variables }),
  });
  return response.json();
};
const { data } = await fetchOrSubscribe(request.params as { id: string }, {});
console.log(data.me.email);

/* prints
olivia@harbor.example
*/

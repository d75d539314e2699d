/** The request of an ordinary client of the suites of load. */
const lists = ["a", "b", "c", "d", "e", "f"].map(
  (q) => `${q}: contacts(q: "${q}") { id name email company stage tags }`,
);
export const query = JSON.stringify({ query: `{ me { id email } ${lists.join(" ")} }` });
export const headers = { "content-type": "application/json", "x-api-key": "key" };

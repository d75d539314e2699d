/**
 * The GraphQL client of the dashboard: the standard `fetch`, the saved operations, and the types that codegen has made
 * from them. A misspelt field, a missing variable or an unknown operation does not pass `npm run types`.
 */
import manifest from "../../generated/operations-manifest.json" with { type: "json" };

/**
 * @import {
 *   AnswerMutation, AnswerMutationVariables, FindCustomersQuery, FindCustomersQueryVariables,
 *   StartPageQuery, StartPageQueryVariables,
 * } from "../../generated/documents.ts"
 */

/**
 * Saved operation → its data and its variables.
 * @typedef {object} Operations
 * @property {[StartPageQuery, StartPageQueryVariables]} StartPage
 * @property {[FindCustomersQuery, FindCustomersQueryVariables]} FindCustomers
 * @property {[AnswerMutation, AnswerMutationVariables]} Answer
 */

/**
 * @typedef {object} GraphqlError
 * @property {string} message
 * @property {(string | number)[]} [path]
 * @property {{ code?: string, argument?: string }} [extensions]
 */

/**
 * `data` is null where the whole request was refused. Its parts are null where a product did not answer; `errors` says which.
 * @template Data
 * @typedef {object} Answer
 * @property {Data | null} data
 * @property {GraphqlError[]} errors
 * @property {number} ms
 * @property {number | undefined} calls REST calls behind the request; unknown in production
 */

const { api = "" } = document.documentElement.dataset;

/**
 * @template {keyof Operations} Name
 * @param {string} key
 * @param {Name} name
 * @param {Operations[Name][1]} variables
 * @returns {Promise<Answer<Operations[Name][0]>>}
 */
export async function ask(key, name, variables) {
  const began = performance.now();
  const query = manifest.operations.find((operation) => operation.name === name)?.body;
  const response = await fetch(`${api}/v1/graphql`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      ...(key && { "x-api-key": key }),
      "x-explain-calls": "1",
    },
    body: JSON.stringify({ query, variables }),
  });
  const { data = null, errors, extensions, detail } = await response.json();
  return {
    data,
    // the gateway refuses a key before GraphQL is asked
    errors: errors ?? (response.ok ? [] : [{ message: detail ?? `status ${response.status}` }]),
    ms: performance.now() - began,
    calls: extensions?.calls?.length,
  };
}

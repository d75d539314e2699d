/**
 * The GraphQL client of the dashboard: the standard `fetch`, the saved operations, and the types that codegen has made
 * from them. A misspelt field, a missing variable or an unknown operation does not pass `npm run types`.
 */
import { meros } from "meros/browser";
import manifest from "../../generated/operations-manifest.json" with { type: "json" };
import { acceptParts, addPart } from "./incremental.js";
import { startPage } from "./start-page.js";

/** @import { Part } from "./incremental.js" */
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
 * @property {{ code?: string, argument?: string, errors?: { argument?: string }[] }} [extensions]
 */

/**
 * `data` is null where the whole request was refused. Its parts are null where a product did not answer; `errors` says which.
 * @template Data
 * @typedef {object} Answer
 * @property {Data | null} data
 * @property {GraphqlError[]} errors
 * @property {boolean} hasNext whether fields are missing that a later part brings
 * @property {number} ms
 * @property {number | undefined} calls REST calls behind the request; unknown in production
 */

const { api = "" } = document.documentElement.dataset;

/**
 * @template {keyof Operations} Name
 * @param {string} key
 * @param {Name} name
 * @param {Operations[Name][1]} variables
 * @param {(answer: Answer<Operations[Name][0]>) => void} onPart called with each part but the last one
 * @returns {Promise<Answer<Operations[Name][0]>>}
 */
export async function ask(key, name, variables, onPart = () => {}) {
  const began = performance.now();
  const saved = manifest.operations.find((operation) => operation.name === name)?.body;
  const query = name === "StartPage" ? startPage : saved;
  const response = await fetch(`${api}/v1/graphql`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: acceptParts,
      ...(key && { "x-api-key": key }),
      "x-explain-calls": "1",
    },
    body: JSON.stringify({ query, variables }),
  });
  /** @param {Part & { detail?: string }} whole @returns {Answer<Operations[Name][0]>} */
  const answerOf = ({ data = null, errors, extensions, detail, hasNext = false }) => ({
    data: /** @type {Operations[Name][0] | null} */ (/** @type {unknown} */ (data)),
    // the gateway refuses a key before GraphQL is asked
    errors: errors ?? (response.ok ? [] : [{ message: detail ?? `status ${response.status}` }]),
    hasNext,
    ms: performance.now() - began,
    calls: extensions?.calls?.length,
  });
  const parts = await meros(response);
  if (parts instanceof Response) return answerOf(await parts.json());
  /** @type {Part} */
  let whole = {};
  for await (const part of parts) {
    if (!part.json) throw new Error("a part is not JSON");
    whole = addPart(whole, part.body);
    if (whole.hasNext) onPart(answerOf(whole));
  }
  if (whole.hasNext) throw new Error("the last part is missing");
  return answerOf(whole);
}

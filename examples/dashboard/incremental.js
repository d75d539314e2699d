/** Puts the parts of a response with `@defer` together, in the format of 2022-08-24, which `Accept` asks for. */
/** @import { GraphqlError } from "./client.js" */

/**
 * @typedef {object} Part
 * @property {object | null} [data]
 * @property {GraphqlError[]} [errors]
 * @property {{ data?: object | null, path: (string | number)[], errors?: GraphqlError[] }[]} [incremental]
 * @property {boolean} [hasNext]
 * @property {{ calls?: unknown[] }} [extensions]
 */

export const acceptParts = "multipart/mixed;deferSpec=20220824, application/json";

/**
 * The whole response up to and including `part`.
 * @param {Part} whole @param {Part} part @returns {Part}
 */
export function addPart(whole, { incremental = [], ...part }) {
  const errors = [...(whole.errors ?? []), ...(part.errors ?? [])];
  let data = part.data === undefined ? whole.data : part.data;
  for (const { data: given, path, errors: failed = [] } of incremental) {
    data = /** @type {object} */ (
      merge(
        data,
        path.reduceRight((inner, step) => ({ [step]: inner }), given ?? {}),
      )
    );
    errors.push(...failed);
  }
  return { ...whole, ...part, data, errors };
}

/**
 * Objects are merged by their members, and lists by their indices.
 * @param {unknown} whole @param {unknown} given @returns {unknown}
 */
function merge(whole, given) {
  if (!isObject(whole) || !isObject(given)) return given;
  const members = Object.entries(given).map(([name, value]) => [
    name,
    merge(Reflect.get(whole, name), value),
  ]);
  return Object.assign(Array.isArray(whole) ? [...whole] : { ...whole }, Object.fromEntries(members));
}

/** @param {unknown} value @returns {value is object} */
const isObject = (value) => typeof value === "object" && value !== null;

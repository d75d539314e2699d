/**
 * The base URL of each product: its own variable, or `REST_BASE_URL`. A product with its own document has only its own
 * variable, so that no credential of one vendor goes to another because a variable was forgotten.
 */
import type { Operations } from "../../../shared/operation.ts";
import type { Config } from "../../settings/config.ts";

/** Of several documents, the path of an operation follows the document's name: `GET shop/things`. */
export const hasOwnDocument = (name: string): boolean => !name.includes(" /");

/** The path of an operation below its base URL. */
export const pathBelowBase = (path: string): string => path.slice(path.indexOf("/"));

/** Product → its base URL, or the name of the variable that is missing. */
export function baseUrls(
  { env, upstreams }: Pick<Config, "env" | "upstreams">,
  operations: Operations,
): Map<string, URL | string> {
  const urls = new Map<string, URL | string>();
  for (const [name, { product }] of Object.entries(operations)) {
    if (urls.has(product)) continue;
    const others = hasOwnDocument(name) ? `REST_BASE_URL_${product}` : (env.REST_BASE_URL ?? "REST_BASE_URL");
    urls.set(product, upstreams.get(product) ?? others);
  }
  return urls;
}

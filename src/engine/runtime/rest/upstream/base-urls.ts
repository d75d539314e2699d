/**
 * Finds the base URL of each product: `REST_BASE_URL_<PRODUCT>`, or else `REST_BASE_URL`. A product with its own OpenAPI document
 * does not fall back to `REST_BASE_URL`: if its variable were forgotten, one vendor's credentials would be sent to another.
 */
import type { Operations } from "../../../shared/operation.ts";
import type { Config } from "../../settings/config.ts";

/**
 * Whether an operation comes from its product's own OpenAPI document, not from the main one. Its name then contains the
 * document's name before the path: `GET shop/things` instead of `GET /things`.
 */
export const hasOwnDocument = (name: string): boolean => !name.includes(" /");

/** Removes the document's name from a path: for example, converts `shop/things` to `/things`. */
export const pathBelowBase = (path: string): string => path.slice(path.indexOf("/"));

/** Returns the base URL of each product, or the name of the missing variable. */
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

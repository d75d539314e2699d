/**
 * The base URL of each product: from the product's own variable, or else `REST_BASE_URL`. For a product with its own document,
 * only its own variable is used, so that a forgotten variable does not send one vendor's credentials to another vendor.
 */
import type { Operations } from "../../../shared/operation.ts";
import type { Config } from "../../settings/config.ts";

/**
 * Whether an operation comes from a document of its product rather than from the main document. Its name then contains the
 * document's name before the path: `GET shop/things` instead of `GET /things`.
 */
export const hasOwnDocument = (name: string): boolean => !name.includes(" /");

/** Returns the path of an operation below its base URL. */
export const pathBelowBase = (path: string): string => path.slice(path.indexOf("/"));

/** Returns for each product its base URL, or the name of the variable that is missing. */
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

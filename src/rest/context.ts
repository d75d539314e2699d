/** What every resolver is handed: the REST client of this one request. */
import type { Rest } from "./rest.ts";

export type Context = { readonly rest: Rest };

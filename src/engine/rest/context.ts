/** The context of every resolver: the REST client of this one request. */
import type { Rest } from "./rest.ts";

export type Context = { readonly rest: Rest };

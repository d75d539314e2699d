/** The context of every resolver: the REST client of this one request. */
import type { Rest } from "./rest.ts";

/** GraphQL's types as graphql-codegen writes them: a link that inherits a value has the value's type from here. */
export type GraphqlTypes<Parents, Values, Scalars> = {
  readonly parents: Parents;
  readonly values: Values;
  readonly scalars: Scalars;
};

/** The context that generated resolvers are typed with. `types` has no value at run time. */
export type Context<Paths extends object, Parents, Values, Scalars> = {
  readonly rest: Rest<Paths>;
  readonly types?: GraphqlTypes<Parents, Values, Scalars>;
};

/** The context of any API. */
export type AnyContext = { readonly rest: { coordinate?: string | undefined } };

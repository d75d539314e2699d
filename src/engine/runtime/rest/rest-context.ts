/** The REST client of one request, as resolvers see it. The OpenAPI document's types (`Paths`) type each method and path. */
import type { RegexSteps } from "../../shared/linear-pattern.ts";
import type { BarePathFor, Init, OperationAt, PathFor, SuccessBody, ValueAt } from "./openapi-types.ts";

type Call<Paths extends object, Method extends string, Missing = never> = {
  <Path extends BarePathFor<Paths, Method>>(
    path: Path,
  ): Promise<SuccessBody<OperationAt<Paths, Path, Method>> | Missing>;
  <Path extends PathFor<Paths, Method>, const Steps extends readonly string[]>(
    path: Path,
    init: Init<OperationAt<Paths, Path, Method>>,
    ...result: Steps
  ): Promise<ValueAt<SuccessBody<OperationAt<Paths, Path, Method>>, Steps> | Missing>;
};

/**
 * Each method makes one call and returns the value at `result` in the JSON body of the response. Identical reads of a request
 * share one call. Each method rejects with a `CodedError`.
 */
export type Rest<Paths extends object> = {
  /** The id of the caller's tenant, which is only sent to operations with the server's credentials. */
  readonly tenant: string;
  readonly get: Call<Paths, "get">;
  /** A `get` that returns null for a 404. */
  readonly find: Call<Paths, "get", null>;
  readonly post: Call<Paths, "post">;
  readonly put: Call<Paths, "put">;
  readonly patch: Call<Paths, "patch">;
  readonly delete: Call<Paths, "delete">;
  readonly query: Call<Paths, "query">;
  /** A `query` that returns null for a 404. */
  readonly search: Call<Paths, "query", null>;
  /** Sends a method for which this type has no function (`additionalOperations` of OpenAPI 3.2). */
  readonly send: {
    <Method extends string, Path extends BarePathFor<Paths, Method>>(
      method: Method,
      path: Path,
    ): Promise<SuccessBody<OperationAt<Paths, Path, Method>>>;
    <Method extends string, Path extends PathFor<Paths, Method>, const Steps extends readonly string[]>(
      method: Method,
      path: Path,
      init: Init<OperationAt<Paths, Path, Method>>,
      ...result: Steps
    ): Promise<ValueAt<SuccessBody<OperationAt<Paths, Path, Method>>, Steps>>;
  };
};

/** GraphQL's types as graphql-codegen generates them, from which a link gets the type of a value that it inherits. */
export type GraphqlTypes<Parents, Values, Scalars> = {
  readonly parents: Parents;
  readonly values: Values;
  readonly scalars: Scalars;
};

/** The type of the context in generated resolvers. `types` has no value at run time. */
export type Context<Paths extends object, Parents, Values, Scalars> = {
  readonly rest: Rest<Paths>;
  readonly types?: GraphqlTypes<Parents, Values, Scalars>;
};

/** The context of the resolvers of any API. */
export type AnyContext = { readonly rest: object };

type Rests = {
  forField(coordinate: string): object;
  /** The client for the fields of a deferred part. */
  forPart?(part: string): Rests;
};

/**
 * The context of one execution. `forField` returns the REST client for a field's resolver, whose calls have the field's schema
 * coordinate in logs and traces. `steps`: how many steps the regular expressions for the request's arguments may still take.
 * `refusals`: how many refused values the request's errors may still list.
 */
export type ExecutionContext = {
  readonly rest: Rests;
  steps?: RegexSteps;
  refusals?: { left: number };
};

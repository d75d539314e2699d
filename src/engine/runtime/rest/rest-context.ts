/** Types of the REST client that resolvers use. The types of the OpenAPI document (`Paths`) check each method, path and input. */
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
 * Each method makes one call and returns the JSON body or, if `result` is given, the value at this path in the body. Identical
 * reads of a request share one call. All methods reject with a `CodedError`.
 */
export type Rest<Paths extends object> = {
  /** The caller's tenant, for operations that the server calls with its own credentials. */
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
  /** Sends any other method (`additionalOperations` of OpenAPI 3.2). */
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

/** Types that graphql-codegen generates. The types of inherited values are derived from them. */
export type GraphqlTypes<Parents, Values, Scalars> = {
  readonly parents: Parents;
  readonly values: Values;
  readonly scalars: Scalars;
};

/** The context of generated resolvers. `types` exists only at compile time. */
export type Context<Paths extends object, Parents, Values, Scalars> = {
  readonly rest: Rest<Paths>;
  readonly types?: GraphqlTypes<Parents, Values, Scalars>;
};

export type AnyContext = { readonly rest: object };

type Rests = {
  forField(coordinate: string): object;
  /** Returns a client for the fields of one `@defer` fragment. */
  forPart?(part: string): Rests;
};

/**
 * The context of one execution. `forField` returns a REST client whose calls are logged with the schema coordinate of the field.
 * `steps` limits the steps of the regular expressions that validate arguments. `refusals.left` is the number of refused values
 * that the request's errors may still contain.
 */
export type ExecutionContext = {
  readonly rest: Rests;
  steps?: RegexSteps;
  refusals?: { left: number };
};

/** The REST client of one request, as resolvers see it. The OpenAPI document types each method and path. */
import type { HttpMethod } from "openapi-typescript-helpers";
import type { BarePathFor, Init, OperationAt, PathFor, SuccessBody, ValueAt } from "./types.ts";

type Call<Method extends HttpMethod, Missing = never> = {
  <Path extends BarePathFor<Method>>(path: Path): Promise<SuccessBody<OperationAt<Path, Method>> | Missing>;
  <Path extends PathFor<Method>, const Steps extends readonly string[]>(
    path: Path,
    init: Init<OperationAt<Path, Method>>,
    ...result: Steps
  ): Promise<ValueAt<SuccessBody<OperationAt<Path, Method>>, Steps> | Missing>;
};

/**
 * Each method makes one call and returns the value at `result` of its JSON body. Identical reads of a request are one
 * call. Each method rejects with a `CodedError`.
 */
export type Rest = {
  readonly get: Call<"get">;
  /** A `get` that returns null for a 404. */
  readonly find: Call<"get", null>;
  readonly post: Call<"post">;
  readonly put: Call<"put">;
  readonly patch: Call<"patch">;
  readonly delete: Call<"delete">;
  /** The coordinate of the field whose resolver runs. Observers of its calls read it. */
  coordinate?: string | undefined;
};

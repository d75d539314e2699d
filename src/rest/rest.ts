/** The REST client of one request, as resolvers see it: an operation by method and path, typed by the document. */
import type { HttpMethod } from "openapi-typescript-helpers";
import type { Answer, At, BarePathFor, Init, OperationAt, PathFor } from "./types.ts";

type Call<Method extends HttpMethod, Missing = never> = {
  <Path extends BarePathFor<Method>>(path: Path): Promise<Answer<OperationAt<Path, Method>> | Missing>;
  <Path extends PathFor<Method>, const Steps extends readonly string[]>(
    path: Path,
    init: Init<OperationAt<Path, Method>>,
    ...result: Steps
  ): Promise<At<Answer<OperationAt<Path, Method>>, Steps> | Missing>;
};

/**
 * Each method makes one call and answers the value at `result` of its JSON body; identical reads of a request are one
 * call. They reject with a `CodedError`.
 */
export type Rest = {
  readonly get: Call<"get">;
  /** A `get` whose documented 404 is null. */
  readonly find: Call<"get", null>;
  readonly post: Call<"post">;
  readonly put: Call<"put">;
  readonly patch: Call<"patch">;
  readonly delete: Call<"delete">;
};

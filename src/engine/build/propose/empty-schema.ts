/** The model of a document whose schema has no field yet: types and fields are still to be proposed. */
import { bindSdl } from "../bind/bind.ts";
import type { Model, RestApi } from "../bind/model.ts";

/** Whether a schema has no field: it is absent, empty, or a `Query` without fields. */
export const hasNoField = (schema: string | undefined): boolean =>
  /^\s*(?:type\s+Query\s*(?:\{\s*\})?\s*)?$/.test((schema ?? "").replace(/^\uFEFF|#.*$/gm, ""));

/** A schema needs a field to be valid. This one is bound to nothing, and no proposal mentions it. */
export const placeholderSchema = "type Query { nothing: Boolean }";

export function modelWithoutFields(rest: RestApi): Model {
  const { model } = bindSdl(rest, placeholderSchema);
  if (!model) throw new Error("the least schema is not valid");
  return { ...model, fields: new Map() };
}

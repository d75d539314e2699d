/** Binds a document to an empty schema. Proposals for a project without fields start from this model. */
import { bindSdl } from "../bind/bind.ts";
import type { Model, RestApi } from "../bind/model.ts";

/** Whether a schema is absent, empty, or only a `Query` without fields. */
export const hasNoField = (schema: string | undefined): boolean =>
  /^\s*(?:type\s+Query\s*(?:\{\s*\})?\s*)?$/.test((schema ?? "").replace(/^\uFEFF|#.*$/gm, ""));

/** A valid schema needs at least one field; this one is neither bound nor proposed. */
export const placeholderSchema = "type Query { nothing: Boolean }";

export function modelWithoutFields(rest: RestApi): Model {
  const { model } = bindSdl(rest, placeholderSchema);
  if (!model) throw new Error("the placeholder schema is not valid");
  return { ...model, fields: new Map() };
}

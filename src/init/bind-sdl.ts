/** Binds a schema that is not written yet to a project's document. */
import { bind } from "../bind/bind.ts";
import type { Model } from "../bind/model.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { readSchema } from "../schema/read-schema.ts";

/** `bound` is absent if the schema is not valid. */
export function bindSdl(
  { document, operations }: Pick<Model, "document" | "operations">,
  text: string,
): { diagnostics: readonly Diagnostic[]; bound?: ReturnType<typeof bind> } {
  const { schema, document: schemaDocument, diagnostics } = readSchema("schema.graphql", text);
  return schema
    ? { diagnostics, bound: bind({ document, operations, schema, schemaDocument }) }
    : { diagnostics };
}

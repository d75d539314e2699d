/** The loader: reads the two files of a spec folder, `schema.graphql` and `openapi.yaml`, and binds them. */
import { bind } from "./bind.ts";
import { SpecUnreadable, unreadable } from "./diagnostic.ts";
import type { Model, Spec } from "./model.ts";
import { readOperations } from "./read-operations.ts";
import { brokenReferences } from "./references.ts";
import { type ReadFile, RestDocument } from "./rest-document.ts";
import { readSchemaFile, type SchemaFile } from "./schema-file.ts";

/** Loads and binds; throws `SpecUnreadable`, with every unreadable file in it, when there is nothing to bind. */
export function loadSpec(read: ReadFile): Spec {
  const [document, schemaFile] = all(
    () => new RestDocument("openapi.yaml", read),
    () => readSchemaFile("schema.graphql", read("schema.graphql") ?? missing("schema.graphql")),
  );
  return shallow(() => bindBoth(document, schemaFile));
}

/** Throws `SpecUnreadable` with every error where there is one: from what is not proved nothing is made. */
export function provedModel({ model, diagnostics }: Spec): Model {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (!model || errors.length > 0) throw new SpecUnreadable(errors);
  return model;
}

function bindBoth(document: RestDocument, schemaFile: SchemaFile): Spec {
  const { operations, diagnostics } = readOperations(document);
  const found = [...brokenReferences(document), ...diagnostics, ...schemaFile.diagnostics];
  if (!schemaFile.schema) return { diagnostics: found };
  const bound = bind({
    document,
    operations,
    schema: schemaFile.schema,
    schemaDocument: schemaFile.document,
  });
  return { model: bound.model, diagnostics: [...found, ...bound.diagnostics] };
}

/** A schema that goes on forever, or ten thousand levels deep, ends the stack: a clear line instead. */
function shallow<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) throw unreadable("openapi.yaml", "is nested too deeply");
    throw error;
  }
}

const missing = (name: string): never => {
  throw unreadable(name, "there is no such file");
};

/** Both, or one failure that names all that is wrong with either. */
function all<A, B>(first: () => A, second: () => B): [A, B] {
  const failures: SpecUnreadable[] = [];
  const attempt = <T>(make: () => T): T | undefined => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof SpecUnreadable)) throw error;
      failures.push(error);
      return undefined;
    }
  };
  const results = [attempt(first), attempt(second)];
  if (failures.length > 0) throw new SpecUnreadable(failures.flatMap(({ diagnostics }) => diagnostics));
  return results as [A, B];
}

/** Reads `schema.graphql` and the OpenAPI documents of a spec folder and binds them. */

import { type GraphQLSchema, isObjectType } from "graphql";
import { SpecUnreadable, unreadable } from "../diagnostic.ts";
import { RestDocument } from "../openapi/document.ts";
import { documentFaults } from "../openapi/document-faults.ts";
import { documentFiles, documentsFolder } from "../openapi/document-files.ts";
import { readOperations } from "../openapi/read-operations.ts";
import { readRest } from "../schema/directives.ts";
import { readSchema, type SchemaFile } from "../schema/read-schema.ts";
import { bind } from "./bind.ts";
import { boundFields, type Model, type Spec } from "./model.ts";
import type { SpecFiles } from "./spec-files.ts";

/** The OpenAPI documents with their operations, which do not depend on the schema. */
export type DocumentFile = Pick<Model, "document" | "operations">;

/** Here several documents become one: all that follows sees one set of operations and schemas. */
export const openDocument = ({ read, list }: SpecFiles): RestDocument =>
  new RestDocument(documentFiles(list(documentsFolder), read), read);

export function readDocument(files: SpecFiles): DocumentFile {
  const document = openDocument(files);
  return withinStack(document, () => ({ document, operations: readOperations(document) }));
}

/**
 * Throws `SpecUnreadable` with a finding for each unreadable file. `faultsOf`: `reachedFaults` for a reader that needs
 * the errors alone.
 */
export function loadSpec(files: SpecFiles, documentOf = readDocument, faultsOf = documentFaults): Spec {
  const [documentFile, schemaFile] = readBoth(
    () => documentOf(files),
    () => readSchema("schema.graphql", files.read("schema.graphql") ?? missing("schema.graphql")),
  );
  return withinStack(documentFile.document, () => bindBoth(documentFile, schemaFile, faultsOf));
}

/** Binds a schema, written to a file or not, to the document. */
export const bindSdl = (documentFile: DocumentFile, sdl: string): Spec =>
  bindSchema(documentFile, readSchema("schema.graphql", sdl));

function bindSchema(
  { document, operations }: DocumentFile,
  { schema, document: schemaDocument, diagnostics }: SchemaFile,
): Spec {
  return schema ? bind({ document, operations, schema, schemaDocument }) : { diagnostics };
}

/** A spec without errors; throws `SpecUnreadable` with all errors of any other one. */
export function proved<S extends Spec>(spec: S): S & { readonly model: Model } {
  const { model } = spec;
  const errors = spec.diagnostics.filter(({ severity }) => severity === "error");
  if (!model || errors.length > 0) throw new SpecUnreadable(errors);
  return { ...spec, model };
}

function bindBoth(documentFile: DocumentFile, schemaFile: SchemaFile, faultsOf: typeof documentFaults): Spec {
  const { document, operations } = documentFile;
  const { model, diagnostics } = bindSchema(documentFile, schemaFile);
  if (!model) return { diagnostics };
  const called = boundFields(model).map(({ operation }) => operation);
  const misnamed = boundNames(model.schema).flatMap((name) => operations.sharing(name));
  const faults = faultsOf(document, called, misnamed);
  return { model, diagnostics: [...faults, ...document.overlayFindings, ...diagnostics] };
}

/** The names of operations in the schema's `@rest`, right or wrong. */
const boundNames = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).flatMap((field) => readRest(schema, field)?.operation ?? [])
      : [],
  );

/** Turns a stack overflow, the sign of an endless or very deep schema, into `SpecUnreadable`. */
function withinStack<T>({ roots, root }: RestDocument, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError)
      throw unreadable(roots.length > 1 ? documentsFolder : root.file, "is nested too deeply");
    throw error;
  }
}

const missing = (name: string): never => {
  throw unreadable(name, "there is no such file");
};

/** Both results, or one `SpecUnreadable` with the findings of both. */
function readBoth<A, B>(first: () => A, second: () => B): [A, B] {
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

/**
 * Generates every file from the spec, as a map of path → text. `codegen` writes the map, `check` compares it.
 * The same spec gives the same bytes on every machine, in every folder and at every time.
 */
import { join } from "node:path";
import { codegen } from "@graphql-codegen/core";
import type { Types } from "@graphql-codegen/plugin-helpers";
import { buildASTSchema, parse } from "graphql";
import { loadSpec, provedModel } from "../bind/load.ts";
import type { Model } from "../bind/model.ts";
import { folderFiles, type SpecFiles, savedOperationTexts } from "../bind/spec-files.ts";
import { escaped } from "../cli/printable.ts";
import { SpecUnreadable } from "../diagnostic.ts";
import { readSavedOperations, type SavedOperation } from "../schema/saved-operations.ts";
import { codegenConfig } from "./config.ts";
import { Results } from "./results.ts";

/** Throws `SpecUnreadable` with all findings if a saved operation is not valid. */
function loadSaved(files: SpecFiles, model: Model): SavedOperation[] {
  const { operations, diagnostics } = readSavedOperations(model.schema, savedOperationTexts(files));
  if (diagnostics.length > 0) throw new SpecUnreadable(diagnostics);
  return operations;
}

/** A proved model, and the saved operations that are valid for it. */
export type Sources = { readonly model: Model; readonly saved: readonly SavedOperation[] };

/** Reads `<root>/spec`; throws `SpecUnreadable` with all errors if there are any. */
export function loadSources(root: string, results = new Results()): Sources {
  const files = folderFiles(join(root, "spec"));
  const model = provedModel(loadSpec(files.read, results.readDocument));
  return { model, saved: loadSaved(files, model) };
}

/** Throws as `loadSources` does. */
export function configFor(root: string) {
  const { model, saved } = loadSources(root);
  return codegenConfig(model, saved);
}

const missing = (name: string): never => {
  throw new Error(`no plugin ${name}`);
};

/** Adds the file's name to an unforeseen error. */
async function named<T>(filename: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof SpecUnreadable) throw error;
    throw new Error(`${filename}: ${(error as Error).message}`, { cause: error });
  }
}

/** Generates from `<root>/spec`, and takes from `results` what has not changed. Throws as `loadSources` does. */
export const generate = (root: string, results = new Results()): Promise<Map<string, string>> =>
  generateFrom(loadSources(root, results), results);

/**
 * Paths are relative to the project, `/`-separated and sorted. The core of graphql-codegen runs the configuration of
 * `codegen.ts`. It starts faster than the command line of graphql-codegen.
 */
export async function generateFrom(
  { model, saved }: Sources,
  results = new Results(),
): Promise<Map<string, string>> {
  const { generates, pluginLoader, schema, config } = codegenConfig(model, saved, results);
  const document = parse(String(schema));
  const schemaAst = buildASTSchema(document, { assumeValid: true });
  const files = Object.entries(generates).map(async ([filename, output]) => {
    const { plugins = [], documents, config: own } = output as Types.ConfiguredOutput;
    const names = plugins.map(String);
    const loaded = names.map(async (name) => [name, (await pluginLoader?.(name)) ?? missing(name)] as const);
    const pluginMap = Object.fromEntries(await Promise.all(loaded));
    const content = await named(filename, () =>
      codegen({
        filename,
        schema: document,
        schemaAst,
        documents: documents ? [{ document: parse(String(documents)) }] : [],
        config: { ...config, ...own },
        plugins: names.map((name) => ({ [name]: {} })),
        pluginMap,
      }),
    );
    return [filename, escaped(content)] as const;
  });
  return new Map((await Promise.all(files)).sort(([one], [other]) => (one < other ? -1 : 1)));
}

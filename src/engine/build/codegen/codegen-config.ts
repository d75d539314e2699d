/**
 * Configures graphql-codegen with one plugin per generated file. A plugin may combine plugins of graphql-codegen with emitters of
 * this folder.
 */

import type { CodegenConfig } from "@graphql-codegen/cli";
import type { PluginFunction, Types } from "@graphql-codegen/plugin-helpers";
import * as typescript from "@graphql-codegen/typescript";
import * as typescriptOperations from "@graphql-codegen/typescript-operations";
import * as typescriptResolvers from "@graphql-codegen/typescript-resolvers";
import { boundFields, type Model } from "../bind/model.ts";
import type { SavedOperation } from "../schema/saved-operations.ts";
import { emitArguments } from "./emit-arguments.ts";
import { emitDocuments, emitManifest, savedDefinitions } from "./emit-documents.ts";
import { emitIndex } from "./emit-index.ts";
import { emitOperations } from "./emit-operations-table.ts";
import { emitResolvers } from "./emit-resolvers.ts";
import { emitSchema, emitSubgraph, withReferences } from "./emit-schema.ts";
import { dateTypes, emitParents, typeOptions, withDefaults, withoutDirectives } from "./emit-types.ts";
import { formatted } from "./format.ts";
import { guardedPlugin, guardedText } from "./inherited-names.ts";
import { emitRestTypes } from "./rest-types/emit-rest-types.ts";
import { TypeNames } from "./type-names.ts";

/** `documents`: the text of the saved operations. */
type GeneratedFile = {
  readonly plugin: PluginFunction;
  readonly documents?: string;
  readonly config?: object;
};

export const commonOptions = { sort: false };

/** Returns the GraphQL schema for graphql-codegen, and a plugin for each file of `generated/`. */
export function plannedFiles(
  model: Model,
  saved: readonly SavedOperation[],
): { schema: string; files: [name: string, file: GeneratedFile][] } {
  const schema = emitSchema(model);
  const typeNames = new TypeNames(model.schema);
  const files: Record<string, GeneratedFile> = {
    "rest.ts": { plugin: () => restTypes(model) },
    "schema.graphql": { plugin: () => schema },
    ...(model.federation && { "subgraph.graphql": { plugin: () => emitSubgraph(model) } }),
    "graphql.ts": {
      plugin: combinePlugins(
        () => emitParents(model, typeNames),
        guardedPlugin(withDefaults(typescript.plugin)),
        guardedPlugin(withoutDirectives(typescriptResolvers.plugin)),
      ),
      config: typeOptions(model, typeNames),
    },
    "resolvers.ts": { plugin: () => emitResolvers(model, typeNames) },
    "operations.ts": { plugin: () => emitOperations(model) },
    "arguments.ts": { plugin: () => emitArguments(model) },
    "index.ts": { plugin: () => emitIndex(model, saved.length > 0) },
    ...(saved.length > 0 && savedOperationFiles(model, saved)),
  };
  return {
    schema: guardedText(withReferences(model, schema)),
    files: Object.entries(files).map(([name, file]) => [
      name,
      { ...file, plugin: formatting(name, file.plugin) },
    ]),
  };
}

/** The configuration for graphql-codegen's own command and for editors. */
export function codegenConfig(model: Model, saved: readonly SavedOperation[] = []): CodegenConfig {
  const { schema, files } = plannedFiles(model, saved);
  const plugins = new Map(files);
  return {
    schema,
    silent: true,
    config: commonOptions,
    pluginLoader: (async (name: string) => {
      // graphql-codegen first asks for `@graphql-codegen/<name>`; after this error, it asks for the plain name
      const found = plugins.get(name);
      if (!found) throw Object.assign(new Error(`no plugin ${name}`), { code: "MODULE_NOT_FOUND" });
      return found;
    }) as unknown as NonNullable<CodegenConfig["pluginLoader"]>,
    generates: Object.fromEntries(
      files.map(([name, { documents, config }]) => [
        `generated/${name}`,
        { plugins: [name], ...(documents !== undefined && { documents }), ...(config && { config }) },
      ]),
    ),
  };
}

const combinePlugins =
  (...plugins: readonly PluginFunction[]): PluginFunction =>
  async (...input) =>
    mergeOutputs(await Promise.all(plugins.map((plugin) => plugin(...input))));

/** Joins plugin outputs in the order imports, other `prepend` texts, contents, `append` texts. */
export function mergeOutputs(outputs: readonly Types.PluginOutput[]): string {
  const complex = outputs.map((output) => (typeof output === "string" ? { content: output } : output));
  const heads = complex.flatMap(({ prepend = [] }) => prepend);
  const isImport = (line: string): boolean => line.startsWith("import");
  const others = heads.filter((line) => !isImport(line));
  return [
    heads.filter(isImport).join("\n"),
    others.join("\n"),
    ...complex.map(({ content }) => content),
    ...complex.flatMap(({ append = [] }) => append),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const formatting =
  (name: string, plugin: PluginFunction): PluginFunction =>
  async (...input) =>
    formatted(name, mergeOutputs([await plugin(...input)]));

function restTypes(model: Model): Promise<string> {
  const bound = new Set(boundFields(model).map(({ operation }) => operation));
  const operations = [...model.operations.values()].filter((operation) => bound.has(operation));
  return emitRestTypes(model.document, operations);
}

/** Options for the types of saved operations. The client package uses the same options. */
export const operationTypeOptions = {
  useTypeImports: true,
  strictScalars: false,
  scalars: dateTypes,
  defaultScalarType: "unknown",
  namingConvention: "keep",
};

const savedOperationFiles = (
  model: Model,
  saved: readonly SavedOperation[],
): Record<string, GeneratedFile> => ({
  "documents.ts": {
    documents: guardedText(savedDefinitions(saved)),
    plugin: combinePlugins(guardedPlugin(typescriptOperations.plugin), () => emitDocuments(saved)),
    config: { ...operationTypeOptions, enumsAsTypes: true },
  },
  "operations-manifest.json": { plugin: () => emitManifest(model, saved) },
});

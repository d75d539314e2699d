/** The graphql-codegen configuration: which generated file is made by which plugins, from one resolved model. */
import type { CodegenConfig } from "@graphql-codegen/cli";
import * as typescript from "@graphql-codegen/typescript";
import * as typescriptOperations from "@graphql-codegen/typescript-operations";
import * as typescriptResolvers from "@graphql-codegen/typescript-resolvers";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { format } from "prettier";
import type { Model } from "../spec/model.ts";
import type { SavedOperation } from "../spec/saved-operations.ts";
import { bundled } from "./bundle.ts";
import { emitArguments } from "./emit-arguments.ts";
import { emitDocuments, emitManifest, savedDefinitions } from "./emit-operations.ts";
import { emitOperations } from "./emit-operations-table.ts";
import { emitResolvers } from "./emit-resolvers.ts";
import { emitSchema } from "./emit-schema.ts";
import { emitParents, parentName } from "./emit-types.ts";
import { banner } from "./names.ts";

const readable = (text: string): Promise<string> => format(text, { parser: "typescript", printWidth: 110 });

export function codegenConfig(model: Model, saved: readonly SavedOperation[] = []): CodegenConfig {
  const schema = emitSchema(model);
  const emitters: Record<string, () => string | Promise<string>> = {
    "rest-types": () => emitRestTypes(model),
    "public-schema": () => schema,
    parents: () => emitParents(model),
    resolvers: () => readable(emitResolvers(model)),
    operations: () => readable(emitOperations(model)),
    arguments: () => readable(emitArguments(model)),
    banner: () => banner,
    documents: () => emitDocuments(saved),
    manifest: () => emitManifest(model, saved),
  };
  const libraries = {
    typescript,
    "typescript-resolvers": typescriptResolvers,
    "typescript-operations": typescriptOperations,
  };
  return {
    schema,
    silent: true,
    config: { sort: false },
    pluginLoader: (async (name: string) => {
      const found = Object.entries({ ...libraries, ...wrapped(emitters) }).find(
        ([id]) => name.endsWith(`/${id}`) || name === id,
      );
      if (!found) throw Object.assign(new Error(`no plugin ${name}`), { code: "MODULE_NOT_FOUND" });
      return found[1];
    }) as unknown as NonNullable<CodegenConfig["pluginLoader"]>,
    generates: {
      "generated/rest.ts": { plugins: ["rest-types"] },
      "generated/schema.graphql": { plugins: ["public-schema"] },
      "generated/graphql.ts": {
        plugins: ["parents", "typescript", "typescript-resolvers"],
        config: typeOptions(model),
      },
      "generated/resolvers.ts": { plugins: ["resolvers"] },
      "generated/operations.ts": { plugins: ["operations"] },
      "generated/arguments.ts": { plugins: ["arguments"] },
      ...(saved.length > 0 && savedOutputs(saved)),
    },
  };
}

async function emitRestTypes({ document }: Model): Promise<string> {
  const whole = (await bundled(document)) as unknown as OpenAPI3;
  return banner + astToString(await openapiTS(whole, { defaultNonNullable: false, silent: true }));
}

/** Files of the saved operations; without any there are none. */
const savedOutputs = (saved: readonly SavedOperation[]): CodegenConfig["generates"] => ({
  "generated/documents.ts": {
    documents: savedDefinitions(saved),
    plugins: ["banner", "typescript-operations", "documents"],
    config: {
      enumsAsTypes: true,
      useTypeImports: true,
      strictScalars: false,
      defaultScalarType: "unknown",
      namingConvention: "keep",
    },
  },
  "generated/operations-manifest.json": { plugins: ["manifest"] },
});

const wrapped = (emitters: Record<string, () => string | Promise<string>>) =>
  Object.fromEntries(Object.entries(emitters).map(([name, emit]) => [name, { plugin: emit }]));

/** A type keeps its name (`APIKey`, `my_type`), which the resolvers import; `QueryContactsArgs` gets its capitals. */
const keepTypeName =
  ({ schema }: Model) =>
  (name: string): string =>
    schema.getType(name.replace(/Resolvers$/, "")) ? name : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Every field resolver is demanded, and its parent is the REST object, so that `tsc` proves the mapping a second time. */
const typeOptions = (model: Model) => ({
  contextType: "Context",
  mappers: {
    ...Object.fromEntries([...model.backings.keys()].map((type) => [type, parentName(type)])),
    ...Object.fromEntries([...model.enums.keys()].map((name) => [name, name])),
  },
  enumValues: Object.fromEntries(
    [...model.enums].map(([name, values]) => [name, Object.fromEntries(values)]),
  ),
  namingConvention: { typeNames: keepTypeName(model), transformUnderscore: true },
  avoidOptionals: { field: true, object: true, resolvers: true },
  enumsAsTypes: true,
  useTypeImports: true,
  emitLegacyCommonJSImports: false,
  importExtension: ".ts",
  strictScalars: false,
  defaultScalarType: "unknown",
  scalars: { ID: { input: "string", output: "string | number" } }, // a number is written as text
  maybeValue: "T | null | undefined", // REST leaves an optional property out, graphql-js takes that for null
  inputMaybeValue: "T | null", // what is left out of a list is no item
  makeResolverTypeCallable: true,
});

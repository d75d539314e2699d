/**
 * Two spec files in, every generated file out, as a map of path → text: `codegen` writes it, `check` compares it.
 * Same spec in, same bytes out: nothing of the machine, the folder or the time gets in.
 */
import { join } from "node:path";
import { codegen } from "@graphql-codegen/core";
import type { Types } from "@graphql-codegen/plugin-helpers";
import { parse } from "graphql";
import { SpecUnreadable } from "../spec/diagnostic.ts";
import { loadSpec, provedModel } from "../spec/load.ts";
import type { Model } from "../spec/model.ts";
import { readSavedOperations, type SavedOperation } from "../spec/saved-operations.ts";
import { folderFiles, type SpecFiles, savedOperationTexts } from "../spec/spec-files.ts";
import { codegenConfig } from "./config.ts";

/** The saved operations; throws `SpecUnreadable` with every finding if one is not valid. */
function loadSaved(files: SpecFiles, model: Model): SavedOperation[] {
  const { operations, diagnostics } = readSavedOperations(model.schema, savedOperationTexts(files));
  if (diagnostics.length > 0) throw new SpecUnreadable(diagnostics);
  return operations;
}

/** Reads `<root>/spec`; throws `SpecUnreadable` with every finding if there is an error among them. */
export function configFor(root: string) {
  const files = folderFiles(join(root, "spec"));
  const model = provedModel(loadSpec(files.read));
  return codegenConfig(model, loadSaved(files, model));
}

const missing = (name: string): never => {
  throw new Error(`no plugin ${name}`);
};

/** What fails unforeseen says which file was under way. */
async function named<T>(filename: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    throw new Error(`${filename}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Paths are relative to `root`, `/`-separated and sorted. graphql-codegen's core runs the very configuration that its
 * command line would (`codegen.ts`), without what only a command line needs: that is most of its start-up time.
 */
export async function generate(root: string): Promise<Map<string, string>> {
  const { generates, pluginLoader, schema, config } = configFor(root);
  const files = Object.entries(generates).map(async ([filename, output]) => {
    const { plugins = [], documents, config: own } = output as Types.ConfiguredOutput;
    const names = plugins.map(String);
    const loaded = names.map(async (name) => [name, (await pluginLoader?.(name)) ?? missing(name)] as const);
    const pluginMap = Object.fromEntries(await Promise.all(loaded));
    const content = await named(filename, () =>
      codegen({
        filename,
        schema: parse(String(schema)),
        documents: documents ? [{ document: parse(String(documents)) }] : [],
        config: { ...config, ...own },
        plugins: names.map((name) => ({ [name]: {} })),
        pluginMap,
      }),
    );
    return [filename, content] as const;
  });
  return new Map((await Promise.all(files)).sort(([one], [other]) => (one < other ? -1 : 1)));
}

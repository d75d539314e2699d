/**
 * Two spec files in, every generated file out, as a map of path → text: `codegen` writes it, `check` compares it.
 * Same spec in, same bytes out: nothing of the machine, the folder or the time gets in.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { generate as graphqlCodegen } from "@graphql-codegen/cli";
import { SpecUnreadable } from "../spec/diagnostic.ts";
import { folderReader, loadSpec } from "../spec/load.ts";
import type { Model } from "../spec/model.ts";
import { readSavedOperations, type SavedOperation } from "../spec/saved-operations.ts";
import { folderFiles, savedOperationTexts } from "../spec/spec-files.ts";
import { codegenConfig } from "./config.ts";

/** Reads `<root>/spec`; throws `SpecUnreadable` with every finding if there is an error among them. */
export function loadModel(root: string): Model {
  const { model, diagnostics } = loadSpec(folderReader(join(root, "spec")));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (!model || errors.length > 0) throw new SpecUnreadable(errors);
  return model;
}

/** The saved operations; throws `SpecUnreadable` with every finding if one is not valid. */
function loadSaved(root: string, model: Model): SavedOperation[] {
  const texts = savedOperationTexts(folderFiles(join(root, "spec")));
  const { operations, diagnostics } = readSavedOperations(model.schema, texts);
  if (diagnostics.length > 0) throw new SpecUnreadable(diagnostics);
  return operations;
}

export function configFor(root: string) {
  const model = loadModel(root);
  return codegenConfig(model, pathToFileURL(join(root, "spec", "openapi.yaml")), loadSaved(root, model));
}

/** Paths are relative to `root`, `/`-separated and sorted. */
export async function generate(root: string): Promise<Map<string, string>> {
  const files = (await graphqlCodegen({ ...configFor(root), cwd: root }, false)) as {
    filename: string;
    content: string;
  }[];
  const sorted = files
    .map(({ filename, content }) => [relative(root, filename), content] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(sorted);
}

const relative = (root: string, name: string): string => name.replace(`${root}/`, "").replaceAll("\\", "/");

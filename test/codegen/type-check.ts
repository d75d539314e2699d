/** Type-checks generated files in memory, with the compiler's options and the sources of this project. */
import { join } from "node:path";
import { codegen } from "@graphql-codegen/core";
import type { Types } from "@graphql-codegen/plugin-helpers";
import { parse } from "graphql";
import ts from "typescript";
import { loadSpec, provedModel } from "../../src/bind/load.ts";
import { codegenConfig } from "../../src/codegen/config.ts";
import type { ReadFile } from "../../src/openapi/document.ts";

const root = join(import.meta.dirname, "../..");
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
  ts.sys,
  root,
);
const parsed = new Map<string, ts.SourceFile | undefined>();
let last: ts.Program | undefined;

/**
 * File name → text of the generated TypeScript. Throws if the mapping has errors. `openapi`: the document, or what reads it
 * and its overlay.
 */
export async function generatedFiles(
  schema: string,
  openapi: string | ReadFile,
): Promise<Map<string, string>> {
  const document: ReadFile =
    typeof openapi === "string" ? (name) => (name === "openapi.yaml" ? openapi : undefined) : openapi;
  const model = provedModel(loadSpec((name) => (name === "schema.graphql" ? schema : document(name))));
  const { generates, pluginLoader, schema: sdl, config } = codegenConfig(model);
  const texts = Object.entries(generates).map(async ([filename, output]) => {
    const { plugins = [], config: own } = output as Types.ConfiguredOutput;
    const pluginMap = Object.fromEntries(
      await Promise.all(plugins.map(async (name) => [name, await pluginLoader?.(String(name))])),
    );
    const content = await codegen({
      filename,
      schema: parse(String(sdl)),
      documents: [],
      config: { ...config, ...own },
      plugins: plugins.map((name) => ({ [String(name)]: {} })),
      pluginMap,
    });
    return [filename, content] as const;
  });
  return new Map((await Promise.all(texts)).filter(([name]) => name.endsWith(".ts")));
}

/** The compiler's errors in the generated files, and in `sources`, as they stand beside them. */
export function typeErrors(files: ReadonlyMap<string, string>, sources: readonly string[] = []): string[] {
  const texts = new Map([...files].map(([name, text]) => [join(root, name), text]));
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  const exists = host.fileExists.bind(host);
  host.fileExists = (name) => texts.has(name) || exists(name);
  host.getSourceFile = (name, target) => {
    const text = texts.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, target);
    if (!parsed.has(name)) parsed.set(name, read(name, target));
    return parsed.get(name);
  };
  const names = [...texts.keys(), ...sources.map((path) => join(root, path))];
  const program = ts.createProgram(names, { ...options, noEmit: true }, host, last);
  last = program;
  return names.flatMap((name) => {
    const file = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText, start = 0 }) => {
      const line = file?.text.slice(0, start).split("\n").length;
      const text = ts.flattenDiagnosticMessageText(messageText, "\n");
      return `${name.slice(root.length + 1)}:${line}: ${text.split("\n").slice(0, 4).join("\n")}`;
    });
  });
}

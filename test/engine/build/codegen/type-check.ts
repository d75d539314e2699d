/** Type-checks generated files in memory, with the compiler's options and the sources of this project. */
import { join, relative } from "node:path";
import ts from "typescript";
import { generate } from "../../../../src/engine/build/codegen/generate.ts";
import { Project } from "../../../../src/engine/build/project/project.ts";
import { type SpecFiles, textFiles } from "../../../../src/engine/build/project/spec-files.ts";

const root = join(import.meta.dirname, "../../../..");
/** A project whose `generated/` the files stand in for. */
const desk = join(import.meta.dirname, "../../desk");
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
  ts.sys,
  root,
);
const parsed = new Map<string, ts.SourceFile | undefined>();
let last: ts.Program | undefined;

/**
 * File name → text of the generated TypeScript. Throws if the mapping has errors. `openapi`: the document, or the files that
 * the documents are among.
 */
export async function generatedFiles(
  schema: string,
  openapi: string | SpecFiles,
): Promise<Map<string, string>> {
  // the hash of the spec is that of no file, so that two documents may generate the same
  const { read, list } =
    typeof openapi === "string"
      ? { ...textFiles(new Map([["openapi.yaml", openapi]])), list: () => [] }
      : openapi;
  const project = new Project({ read: (name) => (name === "schema.graphql" ? schema : read(name)), list });
  const texts = await generate(project.proved());
  return new Map([...texts].filter(([name]) => /\.(ts|json)$/.test(name)));
}

/** The compiler's errors in the generated files. Those of several projects have a folder each. */
export function typeErrors(files: ReadonlyMap<string, string>): string[] {
  const texts = new Map([...files].map(([name, text]) => [join(desk, name), text]));
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  const exists = host.fileExists.bind(host);
  host.fileExists = (name) => texts.has(name) || exists(name);
  host.directoryExists = undefined; // else no file is looked for in a `generated/` that is not on the disk
  host.getSourceFile = (name, target) => {
    const text = texts.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, target);
    if (!parsed.has(name)) parsed.set(name, read(name, target));
    return parsed.get(name);
  };
  const names = [...texts.keys()];
  const program = ts.createProgram(names, { ...options, noEmit: true }, host, last);
  last = program;
  return names.flatMap((name) => {
    const file = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ messageText, start = 0 }) => {
      const line = file?.text.slice(0, start).split("\n").length;
      const text = ts.flattenDiagnosticMessageText(messageText, "\n");
      return `${relative(desk, name)}:${line}: ${text.split("\n").slice(0, 4).join("\n")}`;
    });
  });
}

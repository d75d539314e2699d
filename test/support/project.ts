/** Creates projects in temporary folders, edits their spec files, and runs their commands as a user would. */
import { execFile } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { addFiles } from "../../src/engine/build/init/project-files.ts";
import { programEnvironment } from "./child-process.ts";

const project = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** The file that `node_modules/.bin/restbound` links to. */
export const command = "node_modules/restbound/bin/restbound.ts";

/** The result of a command. */
export type Ended = { code: number; stdout: string; stderr: string };

export type Project = ReturnType<typeof emptyProject>;

/** Creates a folder with only a link to this repository's `node_modules`, which include the engine. */
export function emptyProject() {
  const root = mkdtempSync(join(tmpdir(), "restbound-"));
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
  const ended = (file: string, args: readonly string[], env = process.env): Promise<Ended> =>
    run(file, args, { cwd: root, env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: Ended) => error,
    );
  const restbound = (...args: string[]): Promise<Ended> => ended(process.execPath, [command, ...args]);
  return {
    root,
    main: join(root, "src/main.ts"),
    read: (path: string): string => readFileSync(join(root, path), "utf8"),
    edit: (path: string, change: (text: string) => string): void =>
      writeFileSync(join(root, path), change(readFileSync(join(root, path), "utf8"))),
    restbound,
    /** Rejects with the command's output if the command fails. */
    codegen: async (): Promise<string> => {
      const { code, stderr } = await restbound("codegen");
      if (code !== 0) throw new Error(stderr);
      return stderr;
    },
    /** Runs a script of package.json directly, because npm takes longer than most scripts. */
    script: (name: string): Promise<Ended> => {
      const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
      const PATH = `${join(root, "node_modules/.bin")}:${process.env.PATH}`;
      return ended("sh", ["-c", scripts[name]], { ...programEnvironment, PATH });
    },
    /** Compiles these folders with the options of this repository, and returns the errors. */
    typeErrors: (folders: readonly string[]): string =>
      typeErrors(
        root,
        folders.flatMap((folder) => globSync(join(root, folder, "**/*.ts"))),
      ),
    remove: (): void => rmSync(root, { recursive: true }),
  };
}

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(project, "tsconfig.json"), ts.sys.readFile).config,
  ts.sys,
  project,
);
/** Parsed files of the engine and the libraries, which do not change during a run. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Returns the errors in the files, each on a line, without errors in the engine, which `npm run types` reports. */
function typeErrors(root: string, names: readonly string[]): string {
  if (names.length === 0) throw new Error("there is no module to check");
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...how) => {
    if (!name.startsWith(`${project}/`)) return read(name, ...how);
    if (!parsed.has(name)) parsed.set(name, read(name, ...how));
    return parsed.get(name);
  };
  const program = ts.createProgram(names, options, host);
  const diagnostics = names.flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  });
  return ts.formatDiagnostics(diagnostics, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => root,
    getNewLine: () => "\n",
  });
}

/** A project as `restbound init` writes it, over the spec of a folder. */
export function projectOf(spec: string): Project {
  const made = emptyProject();
  addFiles(made.root, { variable: "REST_BASE_URL" });
  cpSync(spec, join(made.root, "spec"), { recursive: true });
  return made;
}

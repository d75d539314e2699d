/** Projects in a temporary folder, whose spec files a test may edit, and their commands as a user runs them. */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { addFiles } from "../../src/engine/build/init/project-files.ts";
import { programEnvironment } from "./child-process.ts";

const project = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** The program of the one command, as `node_modules/.bin` names it. */
export const command = "node_modules/restbound/bin/restbound.ts";

/** A command that has ended. */
export type Ended = { code: number; stdout: string; stderr: string };

export type Project = ReturnType<typeof emptyProject>;

/** A folder that has this project's packages, the engine among them, and nothing else. */
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
    /** Throws what it printed if it fails. */
    codegen: async (): Promise<string> => {
      const { code, stderr } = await restbound("codegen");
      if (code !== 0) throw new Error(stderr);
      return stderr;
    },
    /** Runs a script of package.json, without npm, which takes longer than most of them. */
    script: (name: string): Promise<Ended> => {
      const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
      const PATH = `${join(root, "node_modules/.bin")}:${process.env.PATH}`;
      return ended("sh", ["-c", scripts[name]], { ...programEnvironment, PATH });
    },
    /** What `tsc` says about these folders, with the options of this repository, whose engine is TypeScript. */
    typeErrors: async (include: readonly string[]): Promise<string> => {
      const { compilerOptions } = JSON.parse(readFileSync(join(project, "tsconfig.json"), "utf8"));
      writeFileSync(join(root, "tsconfig.some.json"), JSON.stringify({ compilerOptions, include }));
      return (await ended("node_modules/.bin/tsc", ["-p", "tsconfig.some.json"])).stdout;
    },
    remove: (): void => rmSync(root, { recursive: true }),
  };
}

/** A project as `restbound init` writes it, over the spec of a folder. */
export function projectOf(spec: string): Project {
  const made = emptyProject();
  addFiles(made.root, undefined, "REST_BASE_URL");
  cpSync(spec, join(made.root, "spec"), { recursive: true });
  return made;
}

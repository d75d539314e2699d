/** A copy of the project in a temporary folder, whose spec files a test may edit, and its commands as a user runs them. */
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { programEnvironment } from "../support/child-process.ts";

const project = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** A command that has ended. */
export type Ended = { code: number; stdout: string; stderr: string };

export type ProjectCopy = ReturnType<typeof copyProject>;

/** The copy has the project's packages, but an engine and caches of its own: `tsc` keeps what it found in a cache. */
function linkPackages(root: string): void {
  mkdirSync(join(root, "node_modules"));
  const packages = readdirSync(join(project, "node_modules")).filter(
    (name) => name === ".bin" || !/^(?:\.|restbound$)/.test(name),
  );
  for (const name of packages)
    symlinkSync(join(project, "node_modules", name), join(root, "node_modules", name));
  symlinkSync(join(root, "src/engine"), join(root, "node_modules/restbound"));
}

/** `spec` is the folder that stands in for the project's own. */
export function copyProject(spec = join(project, "spec")) {
  const root = mkdtempSync(join(tmpdir(), "messaging-graphql-"));
  const names = [
    "src",
    "package.json",
    "codegen.ts",
    "tsconfig.json",
    "vitest.config.ts",
    "generated",
    "test/project",
    // what vitest.config.ts imports
    "test/suites/tally.ts",
    "test/support/seed.ts",
  ];
  for (const name of names) cpSync(join(project, name), join(root, name), { recursive: true });
  linkPackages(root);
  cpSync(spec, join(root, "spec"), { recursive: true });
  const node = (...args: string[]) => run(process.execPath, args, { cwd: root });
  return {
    root,
    main: join(root, "src/main.ts"),
    read: (path: string): string => readFileSync(join(root, path), "utf8"),
    edit: (path: string, change: (text: string) => string): void =>
      writeFileSync(join(root, path), change(readFileSync(join(root, path), "utf8"))),
    codegen: () => node("src/engine/codegen/main.ts"),
    init: (...args: string[]): Promise<Ended> =>
      node("src/engine/init/main.ts", ...args).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: Ended) => error,
      ),
    /** Runs a script of package.json, without npm, which takes longer than most of them. */
    script: (name: string): Promise<Ended> => {
      const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
      const { PATH, ...others } = name === "start" ? programEnvironment : process.env;
      const env = { ...others, PATH: `${join(root, "node_modules/.bin")}:${PATH}` };
      return run("sh", ["-c", scripts[name]], { cwd: root, env }).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: Ended) => error,
      );
    },
    /** What `tsc` says about these folders. */
    typeErrors: async (include: readonly string[]): Promise<string> => {
      const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
      writeFileSync(join(root, "tsconfig.some.json"), JSON.stringify({ compilerOptions, include }));
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      return node(tsc, "-p", "tsconfig.some.json").then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
    },
    remove: (): void => rmSync(root, { recursive: true }),
  };
}

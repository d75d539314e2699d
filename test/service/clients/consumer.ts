/** A front end's repository in a temporary folder: the packed client and the client libraries are installed in it. */
import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { onTestFinished } from "vitest";
import { run } from "../../../src/engine/client-package/client-command.ts";

export const root = join(import.meta.dirname, "../../..");
export const packageName = "messaging-graphql-client";

const libraries = [
  "@apollo/client",
  "@urql/core",
  "@urql/exchange-persisted",
  "gql.tada",
  "graphql-request",
  "graphql",
  "meros",
  "react",
  "react-dom",
  "react-relay",
  "relay-runtime",
  "rxjs",
  "villus",
  "vue",
];
const typesOfPackage = ["@graphql-typed-document-node/core"];

/** Runs `npm run pack:client`; throws what it complains about. */
export async function pack(...argv: string[]): Promise<string> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const exitCode = await run(argv, { root, env: {}, out: print, error: print });
  if (exitCode !== 0) throw new Error(lines.join("\n"));
  return lines.join("\n");
}

let packed: Promise<string> | undefined;
/** The folder of the packed client, made once for all tests of the process. */
const packedClient = (): Promise<string> => {
  packed ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), "messaging-graphql-packed-"));
    process.once("exit", () => rmSync(folder, { recursive: true }));
    await pack("--out", folder, "--name", packageName);
    return folder;
  })();
  return packed;
};

/** Removed after the test that runs. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "messaging-graphql-client-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const resolutions = {
  bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  nodenext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
};
/** The files of libraries, as the compiler reads them with each way of resolving modules. */
const parsed = { bundler: new Map<string, ts.SourceFile>(), nodenext: new Map<string, ts.SourceFile>() };

/** The compiler's errors in all modules of the folder, each on a line. */
function typeErrors(folder: string, resolution: keyof typeof resolutions): string {
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, allowImportingTsExtensions: true, types: [], skipLibCheck: true },
    ...{ target: ts.ScriptTarget.ES2024, lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"] },
    ...resolutions[resolution],
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...how) => {
    const file = parsed[resolution].get(name) ?? read(name, ...how);
    if (file && name.startsWith(join(root, "node_modules"))) parsed[resolution].set(name, file);
    return file;
  };
  const modules = globSync("**/*.ts", { cwd: folder, exclude: (name) => name === "node_modules" });
  if (modules.length === 0) throw new Error("there is no module to check");
  const names = modules.map((name) => join(folder, name));
  const program = ts.createProgram(names, options, host);
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => folder,
    getNewLine: () => "\n",
  });
}

export async function makeConsumer() {
  const folder = temporaryFolder();
  cpSync(await packedClient(), join(folder, "node_modules", packageName), { recursive: true });
  for (const library of [...libraries, ...typesOfPackage]) {
    mkdirSync(dirname(join(folder, "node_modules", library)), { recursive: true });
    symlinkSync(join(root, "node_modules", library), join(folder, "node_modules", library));
  }
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("package.json", JSON.stringify({ type: "module" }));
  return {
    folder,
    write,
    copy: (from: string, to: string): void => cpSync(from, join(folder, to), { recursive: true }),
    typeErrors: async (moduleResolution: keyof typeof resolutions = "bundler"): Promise<string> =>
      typeErrors(folder, moduleResolution),
    /** Standard output of a module of the folder. */
    runModule: async (path: string, environment: NodeJS.ProcessEnv = {}): Promise<string> => {
      const env = { ...process.env, ...environment };
      const { stdout } = await promisify(execFile)(process.execPath, [path], { cwd: folder, env });
      return stdout;
    },
  };
}

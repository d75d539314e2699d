/** A front end's repository in a temporary folder: the packed client and the client libraries are installed in it. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { run } from "../../src/codegen/client/pack.ts";

export const root = join(import.meta.dirname, "../..");
export const packageName = "messaging-graphql-client";

const libraries = [
  "@apollo/client",
  "@urql/core",
  "@urql/exchange-persisted",
  "graphql-request",
  "graphql",
  "rxjs",
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
    /** The errors that `tsc` finds, each on a line. */
    typeErrors: async (moduleResolution: "bundler" | "nodenext" = "bundler"): Promise<string> => {
      const compilerOptions = {
        strict: true,
        noEmit: true,
        target: "es2024",
        lib: ["es2024", "dom", "dom.iterable"],
        module: moduleResolution === "bundler" ? "esnext" : "nodenext",
        moduleResolution,
        types: [],
        skipLibCheck: true,
      };
      write("tsconfig.json", JSON.stringify({ compilerOptions }));
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      return promisify(execFile)(process.execPath, [tsc, "-p", "."], { cwd: folder }).then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
    },
    /** Standard output of a module of the folder. */
    runModule: async (path: string, environment: NodeJS.ProcessEnv = {}): Promise<string> => {
      const env = { ...process.env, ...environment };
      const { stdout } = await promisify(execFile)(process.execPath, [path], { cwd: folder, env });
      return stdout;
    },
  };
}

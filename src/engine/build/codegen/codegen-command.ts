/** `restbound codegen`: replaces `generated/`. If the spec has errors, prints them and writes nothing. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import type { Failure } from "../../shared/cli/command-failure.ts";
import { printable } from "../../shared/cli/printable.ts";
import { replaceFolders } from "../../shared/cli/replace-files.ts";
import { listFiles } from "../../shared/list-files.ts";
import type { readRestApi } from "../project/project.ts";

type RestOf = typeof readRestApi | undefined;

/** `restOf`: reads the OpenAPI documents. In `restbound dev`, it caches. */
export function run(argv: readonly string[], io: Io, restOf?: RestOf): Promise<number> {
  const failed = ({ exitCode, faults }: Failure): void => {
    if (exitCode === 1)
      io.error(`${faults.length} ${faults.length === 1 ? "finding" : "findings"}: nothing was generated`);
  };
  return runCommand("restbound codegen", argv, { ...io, failed }, (line, does) =>
    line
      .description("Generates generated/ from spec/; removes files there that are no longer generated.")
      .action(does(() => update(io, restOf))),
  );
}

async function update({ root, out, progress }: Io, restOf: RestOf): Promise<number> {
  progress?.("restbound codegen: generates from spec/");
  const files = await generated(root, restOf).finally(() => progress?.(""));
  const changed = [...files].flatMap(([path, text]) =>
    readIfThere(join(root, path)) === text ? [] : [path],
  );
  const surplus = generatedFiles(root).filter((path) => !files.has(path));
  if (changed.length + surplus.length > 0) replaceFolders(new Map([generatedFolder(root, files)]));
  for (const path of changed) out(printable(`wrote ${path}`));
  for (const path of surplus) out(printable(`removed ${path}`));
  if (changed.length + surplus.length === 0) out("generated/ is up to date");
  return 0;
}

async function generated(root: string, restOf: RestOf): Promise<Map<string, string>> {
  // imported only here, because these libraries take most of the start-up time
  const { projectAt } = await import("../project/project.ts");
  const { generate } = await import("./generate.ts");
  return generate(projectAt(root, { restOf }).proved());
}

/** Returns the path of `generated/`, and the generated files with paths relative to it. */
export function generatedFolder(root: string, files: ReadonlyMap<string, string>) {
  const below = [...files].map(([path, text]) => [path.replace(/^generated\//, ""), text] as const);
  return [join(root, "generated"), new Map(below)] as const;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns the paths of all files in `generated/`, relative to the root. */
export function generatedFiles(root: string): string[] {
  try {
    return listFiles(join(root, "generated")).map((name) => `generated/${name}`);
  } catch (error) {
    // another process may be replacing the folder
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

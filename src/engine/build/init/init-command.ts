/**
 * `restbound init --openapi <file or URL>`: its command line. In a folder without the packages of code generation it has npm
 * install them first, and runs the command of the package that is installed then. So `npx restbound init` works in an empty
 * folder.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { nonEmpty } from "../../shared/cli/command-line.ts";
import { addPackages } from "./project-files.ts";
import type { InitOptions } from "./start-project.ts";

const collected = (value: string, before: readonly string[] = []): string[] => [...before, nonEmpty(value)];

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound init", argv, io, (line, does) =>
    line
      .description(
        "Starts a project on an OpenAPI document: writes spec/, generates it, and adds what the folder lacks.",
      )
      .requiredOption(
        "--openapi <file>",
        "the document, a file or a URL; an overlay.yaml beside a file is taken along",
        nonEmpty,
      )
      .option("--tag <tag...>", "gives the operations of these tags a field", collected)
      .option(
        "--operation <operation...>",
        'gives these operations a field: an id, a method and path, or a pattern ("/v1/customers*")',
        collected,
      )
      .option("--query <operation...>", "gives these POSTs, which only read, a field of Query", collected)
      .option(
        "--name <name>",
        "the product that the document is of, where there are several: spec/openapi/<name>.yaml, also in a project that has such documents",
        nonEmpty,
      )
      .option(
        "--confirm <place...>",
        "agrees with what an overlay decides about credentials and servers at these places; init lists them",
        collected,
      )
      .action(does((given: InitOptions) => begin(given, argv, io))),
  );

/** All that is given is read, and refused, before anything is written or installed. */
async function begin(given: InitOptions, argv: readonly string[], io: Io): Promise<number> {
  const { root, env, progress } = io;
  const { prepareProject } = await import("./prepare-project.ts");
  const write = await prepareProject(given, io).finally(() => progress?.(""));
  if (existsSync(join(root, "node_modules/@graphql-codegen/core")))
    return write().finally(() => progress?.(""));
  addPackages(root);
  io.out("npm installs the packages that package.json names");
  const npm = spawnSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: root, env, stdio: "inherit" });
  if (npm.status !== 0) {
    io.error(
      "npm could not install them. Where npm has no restbound, npm install its tarball, and run init again",
    );
    return 1;
  }
  const own = join(root, "node_modules/restbound/bin/restbound.js");
  return (
    spawnSync(process.execPath, [own, "init", ...argv], { cwd: root, env, stdio: "inherit" }).status ?? 1
  );
}

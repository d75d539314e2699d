/**
 * `restbound init`: in a folder without the packages of code generation it has npm install them first, and runs the command
 * of the package that is installed then. So `npx restbound init` works in an empty folder.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Io } from "../cli/command.ts";
import { addPackages } from "./project-files.ts";

export async function run(argv: readonly string[], io: Io): Promise<number> {
  const { root, env } = io;
  if (existsSync(join(root, "node_modules/@graphql-codegen/core")))
    return (await import("./main.ts")).run(argv, io);
  if (!argv.some((word) => word.startsWith("--openapi"))) {
    io.error("restbound init: --openapi <file> is needed: the document to start on");
    return 2;
  }
  addPackages(root);
  io.out("npm installs the packages that package.json names");
  const npm = spawnSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: root, env, stdio: "inherit" });
  if (npm.status !== 0) return 1;
  const own = join(root, "node_modules/restbound/command/restbound.js");
  return (
    spawnSync(process.execPath, [own, "init", ...argv], { cwd: root, env, stdio: "inherit" }).status ?? 1
  );
}

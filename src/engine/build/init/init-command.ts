/**
 * `restbound init --openapi <file or URL>`. If the packages for code generation are missing, the command runs `npm install`, and
 * then the `init` of the installed package, so that `npx restbound init` works in an empty folder.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Io, runCommand } from "../../shared/cli/command.ts";
import { UsageError } from "../../shared/cli/command-failure.ts";
import { nonEmpty } from "../../shared/cli/command-line.ts";
import { addPackages } from "./project-files.ts";
import type { InitOptions } from "./start-project.ts";

const collected = (value: string, before: readonly string[] = []): string[] => [...before, nonEmpty(value)];

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound init", argv, io, (line, does) =>
    line
      .description(
        "Creates a project from an OpenAPI document: writes spec/, generates the code, and adds missing project files.",
      )
      .option(
        "--openapi <file>",
        "the document, a file or a URL (required, except with --deploy in an existing project); an overlay.yaml next to a file is copied too",
        nonEmpty,
      )
      .option("--tag <tag...>", "creates fields for the operations with these tags", collected)
      .option(
        "--operation <operation...>",
        'gives these operations a field: an id, a method and path, or a pattern ("/v1/customers*")',
        collected,
      )
      .option("--query <operation...>", "creates Query fields for these POSTs, which only read", collected)
      .option(
        "--name <name>",
        "the document's product, if there are several: spec/openapi/<name>.yaml; also adds a document to such a project",
        nonEmpty,
      )
      .option(
        "--confirm <place...>",
        "confirms an overlay's changes of credentials and servers at these locations; init lists them",
        collected,
      )
      .option(
        "--deploy",
        "adds files for Kubernetes, systemd, HAProxy, Prometheus and Grafana, and the action for GitHub; also in an existing project",
      )
      .action(does((given: Given) => start(given, argv, io))),
  );

type Given = Omit<InitOptions, "openapi"> & { readonly openapi?: string; readonly deploy?: boolean };

async function start(
  { openapi, deploy, ...others }: Given,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  if (openapi !== undefined) return begin({ ...others, openapi, deploy }, argv, io);
  if (!deploy) throw new UsageError(["--openapi: a file or a URL is required"]);
  const [other] = Object.keys(others);
  if (other !== undefined) throw new UsageError([`--${other}: needs --openapi`]);
  return addDeployFiles(io);
}

async function addDeployFiles({ root, out }: Io): Promise<number> {
  const deployFiles = await import("./copy-deploy-folders.ts");
  const written = deployFiles.addDeployFiles(root);
  const folders = new Set(written.map((path) => path.split("/", 2).join("/")));
  const where = written.length > 0 ? ` in ${[...folders].join(", ")}` : "";
  out(`deploy it: wrote ${written.length} files${where}`);
  return 0;
}

/** Reads and validates all input before writing or installing anything. */
async function begin(
  { deploy, ...given }: InitOptions & Pick<Given, "deploy">,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  const { root, env, progress } = io;
  const { prepareProject } = await import("./prepare-project.ts");
  const write = await prepareProject(given, io).finally(() => progress?.(""));
  if (existsSync(join(root, "node_modules/@graphql-codegen/core"))) {
    const code = await write().finally(() => progress?.(""));
    return deploy ? addDeployFiles(io) : code;
  }
  addPackages(root);
  io.out("npm installs the packages in package.json");
  const npm = spawnSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: root, env, stdio: "inherit" });
  if (npm.status !== 0) {
    io.error(
      "npm could not install them. If restbound is not in your registry, npm install its tarball and run init again",
    );
    return 1;
  }
  const own = join(root, "node_modules/restbound/bin/restbound.js");
  return (
    spawnSync(process.execPath, [own, "init", ...argv], { cwd: root, env, stdio: "inherit" }).status ?? 1
  );
}

#!/usr/bin/env node
/** `restbound <command>`: the command line of the package. Each command's module is loaded only when it runs. */
import * as modules from "node:module";
import { exitCodesHelp, type Io, processIo } from "../shared/cli/command.ts";
import { didYouMean } from "../shared/cli/nearest-suggestion.ts";
import { engineManifest, installAdvice, type OptionalFeature } from "../shared/engine-manifest.ts";
import { own } from "../shared/own.ts";

type Run = (argv: readonly string[], io: Io) => Promise<number>;
type Named = {
  readonly does: string;
  readonly load: () => Promise<{ readonly run: Run }>;
  /** The optional packages that the command needs, which a production installation omits. */
  readonly needs?: OptionalFeature;
};

/** The commands, in the order in which a project needs them. */
const commands: Readonly<Record<string, Named>> = {
  init: {
    does: "creates a project from an OpenAPI document",
    load: () => import("../build/init/init-command.ts"),
  },
  start: { does: "runs the roles until a signal stops them", load: () => import("./start-command.ts") },
  dev: {
    does: "restarts the roles whenever the spec is saved",
    load: () => import("../build/codegen/dev-command.ts"),
    needs: "codegen",
  },
  codegen: {
    does: "writes generated/ from spec/",
    load: () => import("../build/codegen/codegen-command.ts"),
    needs: "codegen",
  },
  check: {
    does: "verifies spec/, and that generated/ is up to date",
    load: () => import("../build/check/check-command.ts"),
    needs: "codegen",
  },
  update: {
    does: "fetches the documents again, and reports what breaks",
    load: () => import("../build/update/update-command.ts"),
    needs: "codegen",
  },
  explain: {
    does: "prints the REST calls of a field",
    load: () => import("../build/explain/explain-command.ts"),
    needs: "codegen",
  },
  propose: {
    does: "prints a field for a REST operation",
    load: () => import("../build/propose/propose-command.ts"),
    needs: "codegen",
  },
  lsp: {
    does: "serves editors: findings, quick fixes, completion",
    load: () => import("../build/lsp/lsp-command.ts"),
    needs: "lsp",
  },
  validate: {
    does: "validates operations against the schema",
    load: () => import("../build/validate/validate-command.ts"),
  },
  bundle: {
    does: "bundles the service into a few files, for an image",
    load: () => import("../build/bundle/bundle-command.ts"),
    needs: "bundle",
  },
  key: {
    does: "creates an API key for a gateway with a file of keys",
    load: () => import("./key-command.ts"),
  },
  client: {
    does: "packs the npm package for front ends",
    load: () => import("../client-package/client-command.ts"),
    needs: "codegen",
  },
};

const help = (): string =>
  [
    "Usage: restbound <command> [options]",
    "",
    "A GraphQL layer from an OpenAPI document and a GraphQL schema, verified before it runs.",
    "",
    ...Object.entries(commands).map(([name, { does }]) => `  ${name.padEnd(9)} ${does}`),
    "",
    "restbound <command> --help prints a command's options. restbound --version prints the version.",
    exitCodesHelp,
  ].join("\n");

/** Runs the command that the first argument names, and returns its exit code. */
export async function run([name, ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === "--help" || name === "-h" || name === "--version") {
    io.out(name === "--version" ? version() : help());
    return 0;
  }
  const command = name === undefined ? undefined : own(commands, name);
  const advice = command?.needs && installAdvice(command.needs);
  if (advice !== undefined) {
    io.error(`restbound ${name}: ${advice}`);
    return 2;
  }
  if (command) return (await command.load()).run(rest, io);
  const near = name === undefined ? "" : didYouMean(name, Object.keys(commands));
  io.error(
    name === undefined ? help() : `restbound: there is no command "${name}"${near}; see restbound --help`,
  );
  return 2;
}

const version = (): string => engineManifest().version;

// `import.meta.main` is new in Node 24: an older version would exit silently
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`restbound needs Node 24 or newer; this is ${process.version}`);
  process.exit(2);
}
if (import.meta.main) {
  const argv = process.argv.slice(2);
  if (argv[0] !== "start") modules.enableCompileCache(); // `start` sets V8's flags and the cache's folder before it enables the cache
  const exitCode = await run(argv, processIo);
  // `dev`'s watcher, or a server still starting, would keep the process alive
  if (argv[0] === "dev") process.exit(exitCode);
  process.exitCode = exitCode;
}

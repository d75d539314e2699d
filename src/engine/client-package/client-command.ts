/** `restbound client`: writes the client package into a folder, for `npm pack` or `npm publish`. */
import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { type Io, runCommand } from "../shared/cli/command.ts";
import { UsageError } from "../shared/cli/command-failure.ts";
import { nonEmpty } from "../shared/cli/command-line.ts";
import { replaceFile } from "../shared/cli/replace-files.ts";

type Manifest = { readonly name: string; readonly license?: string };
type Options = {
  readonly out: string;
  readonly name?: string;
  readonly version?: string;
  readonly after?: string;
  readonly report?: string;
  readonly semanticNonNull?: boolean;
};

export const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("restbound client", argv, io, (line, does) =>
    line
      .description(
        "Writes an npm package for front ends: the schema, enums, and typed documents of spec/operations/.",
      )
      .option("--out <folder>", "where the package is written", nonEmpty, "dist/client")
      .option("--name <name>", "the package's name (default: <project's name>-client)", packageName)
      .option("--version <version>", "its version (default: 0.0.0-h<hash of its content>)", semver)
      .option("--after <version>", "the previous version, from which --report derives the next one", semver)
      .option(
        "--report <file>",
        "the report of `npm run check -- --base … --format json=<file>` since --after",
      )
      .option(
        "--semantic-non-null",
        "types without null for fields that are null only after an error: for clients that throw on errors",
      )
      .action(does((options: Options) => pack(io, options))),
  );

async function pack(
  { root, out: print }: Io,
  { out, name, version, after, report, semanticNonNull }: Options,
): Promise<number> {
  if ((after === undefined) !== (report === undefined))
    throw new UsageError(["--after and --report must be used together"]);
  const { projectAt } = await import("../build/project/project.ts"); // loads graphql-codegen, which `--help` does not need
  const { description, packageFiles } = await import("./package-files.ts");
  const project = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const licence = licenceOf(root, project);
  const fullName = name ?? `${project.name}-client`;
  const { changesSinceVersion } = await import("./emit-changelog.ts");
  const changes =
    after === undefined || report === undefined
      ? undefined
      : changesSinceVersion(after, report, readFileSync(resolve(root, report), "utf8"));
  const { model, saved } = projectAt(root).proved();
  const source = { model, saved, name: fullName, version, licence, changes, semanticNonNull };
  const folder = resolve(root, out);
  const files = await packageFiles(source);
  const present = [...files.keys()].find((path) => existsSync(join(folder, path)));
  if (present !== undefined && descriptionIn(folder) !== description)
    throw new UsageError([`--out ${out}: has a ${present} that this command did not write`]);
  // package.json comes last: its version depends on the content of the other files
  for (const [path, text] of files) {
    replaceFile(join(folder, path), text);
    print(`wrote ${relative(root, join(folder, path))}`);
  }
  print(`install it:  echo install-links=true >> .npmrc && npm install ${folder}`);
  return 0;
}

/** The project's licence. `undefined` if package.json does not name a licence, or if there is no LICENSE file. */
function licenceOf(root: string, { license: name }: Manifest): { name: string; text: string } | undefined {
  const file = join(root, "LICENSE");
  return name !== undefined && existsSync(file) ? { name, text: readFileSync(file, "utf8") } : undefined;
}

/** Returns the `description` in the folder's package.json, if there is one. */
function descriptionIn(folder: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))?.description;
  } catch {
    return undefined;
  }
}

/** Validates a package name by npm's rules for new packages: lower case, with or without a scope. */
function packageName(value: string): string {
  if (/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(value) && value.length <= 214)
    return value;
  throw new InvalidArgumentError("It is not a package name, such as @acme/api-client.");
}

/** Validates a version (Semantic Versioning 2.0.0 §2, §9 and §10). */
function semver(value: string): string {
  const number = "(?:0|[1-9]\\d*)";
  const identifier = `(?:${number}|\\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
  const pattern = `^${number}\\.${number}\\.${number}(?:-${identifier}(?:\\.${identifier})*)?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`;
  if (new RegExp(pattern).test(value)) return value;
  throw new InvalidArgumentError("It is not a semantic version, such as 1.4.0.");
}

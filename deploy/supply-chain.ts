/**
 * `npm run suite -- supply-chain` fails when an entry of the lockfile has no integrity, does not come from the registry or has a
 * licence that is not on the list, and when the bill of materials would be incomplete. `-- --write <file>` writes the bill of
 * materials, as a release does. It is npm's own list without timestamps and development tools. npm's `--omit dev` cannot be used,
 * because it also omits packages that a tool needs too, such as `graphql`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { type Io, processIo, runCommand } from "restbound/role";

const root = new URL("../", import.meta.url);
const lockfile = new URL("package-lock.json", root);

/** Licences that only require attribution, and licences that only development tools have. */
const licences = new Set([
  "MIT",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "MIT OR Apache-2.0",
  "(MIT OR Apache-2.0)",
  "(MIT AND BSD-3-Clause)",
  "(MIT OR CC0-1.0)",
  "(AFL-2.1 OR BSD-3-Clause)",
  "PSF-2.0",
]);
const licencesOfTools = new Set(["MPL-2.0", "Python-2.0", "CC-BY-4.0", "CC0-1.0"]);

type Entry = {
  integrity?: string;
  resolved?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  /** npm's mark of a development dependency that is also an optional peer dependency. */
  devOptional?: boolean;
  workspaces?: string[];
  version?: string;
};
type Component = Record<string, unknown>;
type Dependency = { ref: string; dependsOn: string[] };
type Sbom = { metadata: { component: Component }; components: Component[]; dependencies: Dependency[] };

/** Returns a function that tests whether an entry is the project itself, a workspace, or the link to a workspace. */
const ownPackage = (packages: Readonly<Record<string, Entry>>) => {
  const workspaces = packages[""]?.workspaces ?? [];
  return (path: string, { link, resolved }: Entry): boolean =>
    path === "" || workspaces.includes(path) || (link === true && workspaces.includes(resolved ?? ""));
};

/** Returns a line for each entry of a lockfile that must not be installed. */
export function findUnsafeEntries(packages: Readonly<Record<string, Entry>>): string[] {
  const isOwn = ownPackage(packages);
  return Object.entries(packages).flatMap(([path, entry]) => {
    if (isOwn(path, entry)) return [];
    const lines: string[] = [];
    if (!/^sha512-/.test(entry.integrity ?? "")) lines.push(`${path}: has no SHA-512 integrity`);
    if (entry.link || (entry.resolved && !/^https:\/\/registry\.npmjs\.org\//.test(entry.resolved)))
      lines.push(`${path}: does not come from the registry`);
    const licence = entry.license ?? "none";
    if (!licences.has(licence) && !((entry.dev || entry.devOptional) && licencesOfTools.has(licence)))
      lines.push(`${path}: its licence is not on the list (${licence})`);
    return lines;
  });
}

const pick = (component: Component, names: readonly string[]): Component =>
  Object.fromEntries(names.flatMap((name) => (name in component ? [[name, component[name]]] : [])));

/** `name@version` of each package that a production installation may have. */
function productionOf(packages: Readonly<Record<string, Entry>>): Set<string> {
  const isOwn = ownPackage(packages);
  return new Set(
    Object.entries(packages).flatMap(([path, entry]) =>
      isOwn(path, entry) || entry.dev || entry.devOptional
        ? []
        : [`${path.split("node_modules/").at(-1)}@${entry.version}`],
    ),
  );
}

/**
 * Converts npm's bill of materials to CycloneDX 1.5 with the packages in `production` only. The same lockfile results in the same
 * text. `name`: the project's name.
 */
export function stable(sbom: Sbom, name: string, production: ReadonlySet<string>): string {
  const { metadata, components, dependencies } = sbom;
  const own = String(metadata.component["bom-ref"]);
  const isKept = (ref: unknown): boolean => ref === own || production.has(String(ref));
  const kept = ["bom-ref", "type", "name", "version", "scope", "purl", "hashes", "licenses"];
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: { ...pick(metadata.component, kept), name } },
    components: components
      .filter((component) => isKept(component["bom-ref"]))
      .map((component) => pick(component, kept)),
    dependencies: dependencies.flatMap(({ ref, dependsOn }) =>
      isKept(ref) ? [{ ref, dependsOn: dependsOn.filter(isKept) }] : [],
    ),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Returns a line for each production package that the bill of materials lacks or lists without a hash. */
export function findSbomGaps(text: string, packages: Readonly<Record<string, Entry>>): string[] {
  const { components } = JSON.parse(text) as { components: readonly Component[] };
  const hashed = new Set(
    components.flatMap(({ name, version, hashes }) =>
      Array.isArray(hashes) && hashes.length > 0 ? [`${name}@${version}`] : [],
    ),
  );
  return [...productionOf(packages)]
    .filter((name) => !hashed.has(name))
    .map((name) => `bill of materials: ${name} is missing, or has no hash`);
}

function makeSbom(packages: Readonly<Record<string, Entry>>): string {
  const format = ["--package-lock-only", "--sbom-format", "cyclonedx"];
  const text = execFileSync("npm", ["sbom", ...format], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  const { name } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  return stable(JSON.parse(text), name, productionOf(packages));
}

const run = (argv: readonly string[], io: Io): Promise<number> =>
  runCommand("npm run suite -- supply-chain", argv, io, (line, does) =>
    line
      .description("Checks the entries of the lockfile and its bill of materials (CycloneDX).")
      .option("--write <file>", "writes the bill of materials")
      .action(
        does(({ write }: { readonly write?: string }) => {
          const { packages } = JSON.parse(readFileSync(lockfile, "utf8"));
          const sbom = makeSbom(packages);
          if (write !== undefined) writeFileSync(write, sbom);
          const lines = [...findUnsafeEntries(packages), ...findSbomGaps(sbom, packages)];
          for (const line of lines) io.error(line);
          return lines.length > 0 ? 1 : 0;
        }),
      ),
  );

if (import.meta.main) process.exitCode = await run(process.argv.slice(2), processIo);

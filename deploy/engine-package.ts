/**
 * Builds `dist/restbound`, the folder that npm packs. It contains JavaScript, because Node does not strip types below
 * `node_modules`, source maps of the run-time code, and the types of the entry points. Comments remain only in the types: in the
 * JavaScript they would be a tenth of the package. `node deploy/engine-package.ts && npm pack ./dist/restbound`
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { actionFile, deployFolders } from "../src/engine/build/init/copy-deploy-folders.ts";

const root = join(import.meta.dirname, "..");
const engine = join(root, "src/engine");
const target = join(root, "dist/restbound");

/** Files that the engine reads at run time. */
const others = [
  ...["html", "css", "js"].map((ending) => `runtime/graphql/explorer/browser/explorer.${ending}`),
  "build/check/report.schema.json",
];

const handbook = {
  guides: ["your-own-api", "vendors", "ci", "your-operations", "operating", "key-introspection", "tls"],
  reference: ["mapping", "requests", "rules", "directives", "variables", "error-codes", "metrics", "alerts"],
};
const handbookPages = Object.entries(handbook).flatMap(([kind, names]) =>
  names.map((name) => `docs/${kind}/${name}.md`),
);
/** The package's pages: path in this repository → path in the package. */
const pages = new Map([
  ["src/engine/README.md", "README.md"],
  ...["CHANGELOG.md", ...handbookPages].map((page) => [page, page] as const),
]);

/** Returns the page for the package, with only the text of links to files that the package does not contain. */
function packed(page: string, place: string): string {
  const text = readFileSync(join(root, page), "utf8");
  return text.replaceAll(/!?\[([^\]]*)\]\(([^)#:\s]+)(#[^)]*)?\)/g, (_link, words, path, heading = "") => {
    const target = pages.get(posix.join(posix.dirname(page), path));
    const way = target === undefined ? undefined : posix.relative(posix.dirname(place), target);
    return way === undefined ? words : `[${words}](${way}${heading})`;
  });
}

/** The entry in `exports` for a source file. */
const built = (path: string) => ({
  types: path.replace(/\.ts$/, ".d.ts"),
  default: path.replace(/\.ts$/, ".js"),
});

/** Removes types that no entry point needs, which would add 270 kB to each installation. */
function keepExportedTypes(): void {
  const kept = new Set<string>();
  const keep = (file: string): void => {
    if (kept.has(file) || !existsSync(file)) return;
    kept.add(file);
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)\.[jt]s"/g))
      keep(join(dirname(file), `${path}.d.ts`));
  };
  const types = globSync("**/*.d.ts", { cwd: target }).map((path) => join(target, path));
  for (const file of types) if (dirname(file) === join(target, "exports")) keep(file);
  for (const file of types) if (!kept.has(file)) rmSync(file);
}

/**
 * Removes the source maps of the build-time commands. They would be a fifth of the package, although this JavaScript is almost
 * the same as the source.
 */
function dropMapsOfCommands(): void {
  for (const map of globSync("build/**/*.js.map", { cwd: target })) {
    const script = join(target, map.replace(/\.map$/, ""));
    writeFileSync(script, readFileSync(script, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"));
    rmSync(join(target, map));
  }
}

function compile(...options: string[]): void {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const project = ["-p", join(engine, "tsconfig.json"), "--outDir", target];
  execFileSync(process.execPath, [tsc, ...project, ...options], { stdio: "inherit" });
}

function build(): void {
  rmSync(target, { recursive: true, force: true });
  compile("--emitDeclarationOnly");
  keepExportedTypes();
  compile("--removeComments", "--declaration", "false", "--noCheck"); // the types are checked already
  dropMapsOfCommands();
  for (const path of others) cpSync(join(engine, path), join(target, path));
  for (const path of ["LICENSE", actionFile, "examples/gitlab", ...deployFolders])
    cpSync(join(root, path), join(target, path), { recursive: true });
  for (const kind of Object.keys(handbook)) mkdirSync(join(target, "docs", kind), { recursive: true });
  for (const [page, place] of pages) writeFileSync(join(target, place), packed(page, place));
  const manifest = JSON.parse(readFileSync(join(engine, "package.json"), "utf8"));
  const entryPoints = Object.entries<string>(manifest.exports).map(([name, path]) => [
    name,
    path.endsWith(".ts") ? built(path) : path,
  ]);
  const bin = { restbound: manifest.bin.restbound.replace(/\.ts$/, ".js") };
  const text = JSON.stringify({ ...manifest, bin, exports: Object.fromEntries(entryPoints) }, null, 2);
  writeFileSync(join(target, "package.json"), `${text}\n`);
}

if (import.meta.main) build();

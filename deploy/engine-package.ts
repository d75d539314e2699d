/**
 * Builds `dist/restbound`, the package as npm takes it: JavaScript with source maps and types beside it, because Node
 * refuses types below `node_modules`. `node deploy/engine-package.ts && npm pack ./dist/restbound`
 */
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const engine = join(root, "src/engine");
const target = join(root, "dist/restbound");

/** Files that the engine reads at run time, and papers. */
const others = [
  ...["html", "css", "js"].map((ending) => `graphql/explorer/browser/explorer.${ending}`),
  ...["check/report.schema.json", "README.md"],
];

/** The compiled file and its types of each door. */
const built = (path: string) => ({
  types: path.replace(/\.ts$/, ".d.ts"),
  default: path.replace(/\.ts$/, ".js"),
});

function build(): void {
  rmSync(target, { recursive: true, force: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", join(engine, "tsconfig.json"), "--outDir", target], {
    stdio: "inherit",
  });
  for (const path of others) cpSync(join(engine, path), join(target, path));
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
  const manifest = JSON.parse(readFileSync(join(engine, "package.json"), "utf8"));
  const doors = Object.entries<string>(manifest.exports).map(([name, path]) => [
    name,
    path.endsWith(".ts") ? built(path) : path,
  ]);
  const bin = { restbound: manifest.bin.restbound.replace(/\.ts$/, ".js") };
  const text = JSON.stringify({ ...manifest, bin, exports: Object.fromEntries(doors) }, null, 2);
  writeFileSync(join(target, "package.json"), `${text}\n`);
}

if (import.meta.main) build();

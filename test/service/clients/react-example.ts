/** `npm run suite -- react`: installs `examples/react` from npm with the packed client, type-checks, tests and builds it. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readArguments } from "../../support/script-arguments.ts";

await readArguments("npm run suite -- react", (line) =>
  line.description(
    "Installs examples/react from npm with the packed client, type-checks, tests and builds it.",
  ),
);
const root = join(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "react-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const client = join(folder, "client");
const app = join(folder, "app");
const pack = ["run", "pack:client", "--", "--out", client, "--name", "messaging-graphql-client"];
execFileSync("npm", pack, { cwd: root, stdio: "inherit" });
cpSync(join(root, "examples/react"), app, {
  recursive: true,
  filter: (path) => !/node_modules|\/dist$/.test(path.slice(root.length)),
});
const manifest = join(app, "package.json");
writeFileSync(manifest, readFileSync(manifest, "utf8").replace("file:../../dist/client", "file:../client"));
for (const args of [
  ["install", "--no-audit", "--no-fund", "--loglevel=error"],
  ["ci", "--no-audit", "--no-fund", "--loglevel=error"], // of a package that is a folder, as `.npmrc` says
  ["test", "--", "--no-color"],
  ["run", "build"],
])
  execFileSync("npm", args, { cwd: app, stdio: "inherit" });
// four steps, each of which throws if it fails
console.log("tally: 4 passed, 0 failed");

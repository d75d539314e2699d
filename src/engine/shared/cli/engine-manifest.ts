/** What the package says of itself in its `package.json`, and which packages of code generation are beside it. */
import { readFileSync } from "node:fs";
import * as modules from "node:module";

type EngineManifest = {
  readonly version: string;
  /** The packages of code generation and of bundling: a project has them, in these versions, as development dependencies of its own. */
  readonly devDependencies: Readonly<Record<string, string>>;
};

export const engineManifest = (): EngineManifest =>
  readManifest(new URL("../../package.json", import.meta.url));

/** `name@version` of each package of code generation, or of bundling, that is not installed in the version that the engine is made for. */
export const mismatchedPackages = (need: "codegen" | "bundle"): string[] =>
  Object.entries(engineManifest().devDependencies)
    .filter(([name]) => (name === "rolldown") === (need === "bundle"))
    .filter(([name, version]) => installedVersion(name) !== version)
    .map(([name, version]) => `${name}@${version}`);

function installedVersion(name: string): string | undefined {
  try {
    const path = modules.findPackageJSON(name, import.meta.url);
    return path === undefined ? undefined : readManifest(path).version;
  } catch {
    return undefined;
  }
}

const readManifest = (path: string | URL): EngineManifest => JSON.parse(readFileSync(path, "utf8"));

/** The engine's `package.json`, and which of the packages for code generation are installed. */
import { readFileSync } from "node:fs";
import * as modules from "node:module";

type EngineManifest = {
  readonly version: string;
  /** Packages for code generation and bundling, which a project installs in these versions as development dependencies. */
  readonly devDependencies: Readonly<Record<string, string>>;
};

export const engineManifest = (): EngineManifest =>
  readManifest(new URL("../../package.json", import.meta.url));

/** `name@version` of each package for code generation, or bundling, that is not installed in the required version. */
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
